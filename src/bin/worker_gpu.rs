//! The GPU worker's program: Burn on wgpu. The page loads it only to train on a GPU a model that our kernels do not support.

fn main() {
    #[cfg(all(target_family = "wasm", feature = "web"))]
    {
        use vivarium::training::launch::{choose::Engine, device_check::checked_gpu};
        vivarium::platform::web::construct();
        vivarium::platform::web::spawn(vivarium::worker::web::serve(checked_gpu(&[Engine::Autodiff])));
    }
}
