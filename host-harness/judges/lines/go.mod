module lictor.dev/judges/lines

go 1.26.0
