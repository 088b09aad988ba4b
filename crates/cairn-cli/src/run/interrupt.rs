//! Ctrl-C ends a run with everything written; a second one ends it at once.

use cairn_engine::Shared;
use std::sync::Arc;

/// Stops a run when the process is asked to end.
pub fn on_interrupt(shared: Arc<Shared>) {
    // If there is a handler already, the run is simply not stopped by it.
    let mut asked = false;
    let _ = ctrlc::set_handler(move || {
        if asked {
            std::process::exit(130);
        }
        asked = true;
        shared.stop_by("interrupt");
    });
}
