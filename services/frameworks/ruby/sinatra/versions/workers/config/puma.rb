require "etc"

port ENV.fetch("PORT")
workers Etc.nprocessors
# By default, Puma waits 5 s for open requests. The workers end with the first process.
on_booted { Signal.trap("TERM") { exit! } }
