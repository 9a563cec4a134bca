require "base64"
require "json"
require "openssl"

# Returns the event, or raises when the delivery is not genuine. raw is request.body.read.
def verify(raw, private_key)
  first = '{"event":'.bytesize
  last = raw.b.rindex(',"signature":')
  signed = raw.byteslice(first, [last.to_i - first, 0].max).to_s
  expected = Base64.strict_encode64(OpenSSL::HMAC.digest("SHA256", private_key, signed))
  raise "not a delivery of Waypost" unless same?(%(,"signature":"#{expected}"}), raw.byteslice(last.to_i..))
  JSON.parse(signed)
end

# The same by the headers and the secret of the webhook. Also compare webhook-timestamp with the time.
def verify_headers(raw, headers, secret)
  key = Base64.strict_decode64(secret.delete_prefix("whsec_"))
  signed = "#{headers["webhook-id"]}.#{headers["webhook-timestamp"]}.".b + raw.b
  expected = "v1," + Base64.strict_encode64(OpenSSL::HMAC.digest("SHA256", key, signed))
  raise "not a delivery of Waypost" unless headers["webhook-signature"].to_s.split(" ").any? { |one| same?(expected, one) }
end

def same?(one, other)
  one.bytesize == other.bytesize && OpenSSL.fixed_length_secure_compare(one, other)
end

if __FILE__ == $PROGRAM_NAME
  raw = $stdin.binmode.read.force_encoding("UTF-8")
  names = %w[webhook-id webhook-timestamp webhook-signature]
  verify_headers(raw, names.to_h { |name| [name, ENV[name.upcase.tr("-", "_")]] }, ENV.fetch("SECRET"))
  event = verify(raw, ENV.fetch("PRIVATE_KEY"))
  puts "#{event["type"]} #{event["id"]}"
end
