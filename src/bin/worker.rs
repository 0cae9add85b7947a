//! The CPU worker's binary: our loop and Burn's flex, with SIMD, small and there at once. It reads files and helps with large
//! steps, too.

fn main() {
    #[cfg(all(target_family = "wasm", feature = "web"))]
    {
        vivarium::platform::web::construct();
        // The same program reads files, in a worker that lives as long as that takes.
        if vivarium::worker::web::reads_file() {
            return vivarium::worker::web::serve_file();
        }
        // And it helps another worker with large steps.
        if vivarium::worker::web::helpers::helps_run() {
            return vivarium::worker::web::helpers::serve_helper();
        }
        vivarium::platform::web::spawn(vivarium::worker::web::serve(async {
            Ok(vivarium::training::launch::device::Device::cpu())
        }));
    }
}
