module lictor.dev/compare/report

go 1.26
