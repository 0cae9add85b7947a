//! The fused worker's program: our kernels on wgpu, without Burn; it is much smaller than the GPU worker.

fn main() {
    #[cfg(all(target_family = "wasm", feature = "web"))]
    {
        use vivarium::training::launch::{choose::Engine, device_check::checked_gpu};
        vivarium::platform::web::construct();
        vivarium::platform::web::spawn(vivarium::worker::web::serve(checked_gpu(&[Engine::Fused])));
    }
}
