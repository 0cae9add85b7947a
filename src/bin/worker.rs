//! The CPU worker's binary: our loop and Burn's flex, with SIMD, small and there at once.

fn main() {
    #[cfg(all(target_family = "wasm", feature = "web"))]
    {
        vivarium::platform::web::construct();
        vivarium::platform::web::spawn(vivarium::worker_web::serve(async {
            Ok(vivarium::training::launch::device::Device::cpu())
        }));
    }
}
