//! The CPU worker's binary: our loop and Burn's flex, with SIMD, small and there at once. It reads files too.

fn main() {
    #[cfg(all(target_family = "wasm", feature = "web"))]
    {
        vivarium::platform::web::construct();
        // The same program reads files, in a worker that lives as long as that takes.
        if vivarium::worker_web::reads_file() {
            return vivarium::worker_web::serve_file();
        }
        vivarium::platform::web::spawn(vivarium::worker_web::serve(async {
            Ok(vivarium::training::launch::device::Device::cpu())
        }));
    }
}
