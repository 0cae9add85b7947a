//! The fused worker's binary: our kernels on wgpu and no Burn, a fraction of the GPU worker's size.

fn main() {
    #[cfg(all(target_family = "wasm", feature = "web"))]
    {
        use vivarium::training::launch::{choose::Engine, device_check::checked_gpu};
        vivarium::platform::web::construct();
        vivarium::platform::web::spawn(vivarium::worker::web::serve(checked_gpu(&[Engine::Fused])));
    }
}
