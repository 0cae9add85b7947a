//! The page's program: installs a panic hook and opens the page.

fn main() {
    #[cfg(target_family = "wasm")]
    {
        std::panic::set_hook(Box::new(|info| {
            console_error_panic_hook::hook(info);
            vivarium::app::browser::show_panic();
        }));
        vivarium::app::open();
    }
}
