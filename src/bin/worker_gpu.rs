//! The program with Burn: autodiff on wgpu, or on the processor. The page loads it only to train what our kernels on a GPU, or
//! our loops on the processor, do not support, or where the person chooses autodiff.

fn main() {
    #[cfg(all(target_family = "wasm", feature = "web"))]
    {
        use vivarium::training::launch::{choose::Engine, device::Device, device_check::checked_gpu};
        vivarium::platform::web::construct();
        vivarium::platform::web::spawn(vivarium::worker::web::serve(async {
            match vivarium::worker::web::is_on_processor() {
                true => Ok(Device::cpu()),
                false => checked_gpu(&[Engine::Autodiff]).await,
            }
        }));
    }
}
