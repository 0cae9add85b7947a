//! The CPU worker's program: our training loops with SIMD, without Burn; it is small, so that it loads quickly. It also reads
//! files, and helps another worker with large steps.

fn main() {
    #[cfg(all(target_family = "wasm", feature = "web"))]
    {
        vivarium::platform::web::construct();
        // The page starts this program to read one file, after which the worker ends.
        if vivarium::worker::web::is_file_reader() {
            return vivarium::worker::web::serve_file();
        }
        // Another worker starts this program as a helper for large steps.
        if vivarium::worker::web::helpers::is_training_helper() {
            return vivarium::worker::web::helpers::serve_helper();
        }
        vivarium::platform::web::spawn(vivarium::worker::web::serve(async {
            Ok(vivarium::training::launch::device::Device::cpu())
        }));
    }
}
