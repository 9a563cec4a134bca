# frozen_string_literal: true

require "waypost/receiver"

receiver = Waypost::Receiver.new(
  private_keys: ENV.fetch("WAYPOST_PRIVATE_KEY"),
  secrets: ENV.fetch("WAYPOST_SECRET")
)

run lambda { |env|
  begin
    event = receiver.verify(env["rack.input"].read, env)
    # Store the event here, then respond. Process it afterwards.
    puts "#{event.type} #{event.id}"
    case event
    in Waypost::LocationStatusChangedEvent
      puts "location #{event.location}: #{event.from} -> #{event.to}"
    else # other event types
    end
    [204, {}, []]
  rescue Waypost::VerificationError => error
    [401, { "content-type" => "text/plain" }, [error.message]]
  end
}
