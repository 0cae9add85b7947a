//! The GPU worker's binary: Burn on wgpu, fetched only when a GPU is to train what our kernels do not cover.

fn main() {
    #[cfg(all(target_family = "wasm", feature = "web"))]
    {
        use vivarium::training::launch::{choose::Engine, device_check::checked_gpu};
        vivarium::platform::web::construct();
        vivarium::platform::web::spawn(vivarium::worker::web::serve(checked_gpu(&[Engine::Autodiff])));
    }
}
