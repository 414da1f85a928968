module tacho.local/cheats

go 1.26
