port ENV.fetch("PORT")
# By default, Puma waits 5 s for open requests.
on_booted { Signal.trap("TERM") { exit! } }
