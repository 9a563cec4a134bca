package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"waypost/receiver"
)

func main() {
	verifier, err := receiver.New(receiver.Options{
		PrivateKeys: []string{os.Getenv("WAYPOST_PRIVATE_KEY")},
		Secrets:     []string{os.Getenv("WAYPOST_SECRET")},
	})
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		event, err := verifier.Verify(body, request.Header)
		if err != nil {
			http.Error(response, err.Error(), http.StatusUnauthorized)
			return
		}
		// Store the event here, then respond. Process it afterwards.
		fmt.Println(event.Frame().Type, event.Frame().ID)
		if event, isChange := event.(*receiver.LocationStatusChangedEvent); isChange {
			fmt.Printf("location %d: %s -> %s\n", event.Location, event.From, event.To)
		}
		response.WriteHeader(http.StatusNoContent)
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	server := &http.Server{Addr: "127.0.0.1:" + port, ReadTimeout: 15 * time.Second}
	log.Fatal(server.ListenAndServe())
}
