//! Links to networks of largest margin, on the page.

use crate::opened::open_page;
use vivarium_model::models::group_net::BUILT;
use vivarium_model::permalink::decode;

/// Links that took half a minute, since each of their runs built its network several times.
#[test]
fn no_network_is_built_to_open_a_link() {
    BUILT.set(0);
    let sweep = "#v1/groups?n=127&width=4096&from=maximum&sweep=seed:lin:1..300:300";
    for link in [sweep, "#v1/groups?op=symmetric&letters=5&width=1200&from=maximum"] {
        open_page(link);
        assert_eq!(BUILT.get(), 0, "{link} on the page");
    }
    let (link, _) = decode("#v1/groups?from=maximum");
    assert_eq!((link.spec.initialize_replicas(1).len(), BUILT.get()), (3, 1), "what is counted");
}
