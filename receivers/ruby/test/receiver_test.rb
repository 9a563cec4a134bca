# frozen_string_literal: true

# Run with: ruby -Ilib test/receiver_test.rb

require "json"
require "waypost/receiver"

VECTORS = JSON.parse(File.read(File.expand_path("../../vectors.json", __dir__), encoding: "UTF-8")).fetch("vectors")
FAILURES = []

# minitest is not part of the standard library.
def check(name, expected, actual)
  FAILURES << "#{name}: expected #{expected.inspect}, got #{actual.inspect}" unless expected == actual
end

def verify(vector)
  keys = vector.fetch("keys")
  receiver = Waypost::Receiver.new(
    private_keys: keys["privateKeys"],
    secrets: keys["secrets"],
    public_keys: keys["publicKeys"],
    tolerance_seconds: vector["toleranceSeconds"]
  )
  receiver.verify(vector["bodyBase64"].unpack1("m0"), vector["headers"], now: Time.at(vector["now"]))
end

def vector(name) = VECTORS.find { |vector| vector["name"] == name }

def argument_error
  yield
  nil
rescue ArgumentError => error
  error.message
end

check("number of vectors", true, VECTORS.size > 50)
VECTORS.each do |vector|
  name, expected = vector.values_at("name", "expected")
  event = verify(vector)
  check(name, expected["class"], event.class.name.delete_prefix("Waypost::"))
  expected["fields"]&.each { |field, value| check("#{name}: #{field}", value, event.raw[field].to_s) }
rescue Waypost::VerificationError => error
  check(name, expected["error"], error.code.to_s.tr("_", "-"))
  vector["keys"].slice("privateKeys", "secrets").values.flatten.each do |key|
    check("#{name}: message without keys", false, error.message.include?(key))
  end
end

event = verify(vector("event type LISTING_DATAPOINT_CHECK"))
check("partner", "hansekontor", event.sales_partner_identifier)
check("ids", event.raw["newDataPointIds"], event.new_data_point_ids)
check("boolean", true, event.new_datapoints_found)

matched = case verify(vector("unknown status value"))
          in Waypost::LocationStatusChangedEvent[location:, from:, to:] then [location, from, to]
          end
check("pattern", [60_233, Waypost::LocationStatus::ACTIVE, "MOVED"], matched)
case event
in { nonsense: } then check("pattern with an unknown name", "no match", nonsense)
else nil
end

plain = vector("plain")
rack = plain["headers"].to_h { |name, value| ["HTTP_#{name.upcase.tr("-", "_")}", value] }
check("headers of Rack", "LocationProfileChangedEvent", verify(plain.merge("headers" => rack)).class.name.split("::").last)

begin
  nested = %({"event":#{"[" * 10_000}#{"]" * 10_000},"signature":"x"})
  Waypost::Receiver.new(private_keys: "key").verify(nested, {})
rescue Waypost::VerificationError => error
  check("deep nesting", :body_unreadable, error.code)
end

new_receiver = Waypost::Receiver.method(:new)
check("no key", true, argument_error { new_receiver.call }&.include?("requires"))
check("empty key", "private_keys contains an empty key.", argument_error { new_receiver.call(private_keys: "") })
check("nil key", "secrets contains an empty key.", argument_error { new_receiver.call(secrets: [nil]) })
check("empty secret", true, argument_error { new_receiver.call(secrets: "whsec_") }&.include?("Base64"))
check("invalid secret", true, argument_error { new_receiver.call(secrets: "whsec_?") }&.include?("Base64"))
check("short public key", true, argument_error { new_receiver.call(public_keys: "whpk_AAAA") }&.include?("32 bytes"))
check("inspect without keys", false, new_receiver.call(private_keys: "hidden").inspect.include?("hidden"))

abort FAILURES.join("\n") unless FAILURES.empty?
puts "#{VECTORS.size} vectors passed."
