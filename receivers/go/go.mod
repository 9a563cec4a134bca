module waypost/receiver

go 1.18
