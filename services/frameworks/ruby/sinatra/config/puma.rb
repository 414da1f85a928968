port ENV.fetch("PORT")
# Puma waits 5 s for answers under way
on_booted { Signal.trap("TERM") { exit! } }
