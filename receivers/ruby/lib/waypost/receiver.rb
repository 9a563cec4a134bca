# frozen_string_literal: true

require "json"
require "openssl"
require_relative "receiver/event"
require_relative "receiver/events"
require_relative "receiver/verification_error"

module Waypost
  # Verifies deliveries with the keys of one webhook.
  #
  # At least one key is required. With keys for body and headers, both must be valid. In the headers, one match of a
  # secret or public key is enough. Pass several keys during a rotation.
  class Receiver
    # A delivery is {"event":<event>,"signature":"<signature>"}, where <event> is the exact signed text.
    HEAD = '{"event":'
    TAIL = %r{\A,"signature":"([A-Za-z0-9+/]{43}=)"\}\z}n
    TAIL_LENGTH = 60
    # RFC 8410: the algorithm Ed25519, followed by the 32 bytes of the key.
    ED25519_PREFIX = ["302a300506032b6570032100"].pack("H*").freeze
    private_constant :HEAD, :TAIL, :TAIL_LENGTH, :ED25519_PREFIX

    # @param private_keys [String, Array<String>]
    # @param secrets [String, Array<String>]
    # @param public_keys [String, Array<String>]
    def initialize(private_keys: [], secrets: [], public_keys: [], tolerance_seconds: 300)
      @private_keys = list_of("private_keys", private_keys)
      @secrets = list_of("secrets", secrets).map { |secret| decoded_key("whsec_", secret) }
      @public_keys = list_of("public_keys", public_keys).map { |key| ed25519_key(decoded_key("whpk_", key, 32)) }
      @tolerance_seconds = tolerance_seconds
      return unless @private_keys.empty? && @secrets.empty? && @public_keys.empty?

      raise ArgumentError, "Receiver requires private_keys of your account, or secrets or public_keys of the webhook."
    end

    # Keys are not shown.
    def inspect = "#<#{self.class}>"

    # Returns the event of the raw body.
    #
    # @param body [String]
    # @param headers [#each] names in any case, also as in a Rack environment (HTTP_WEBHOOK_ID)
    # @return [Event]
    # @raise [VerificationError] if the delivery is not authentic
    def verify(body, headers, now: Time.now)
      bytes = body.b
      check_headers(bytes, headers, now.to_f) unless @secrets.empty? && @public_keys.empty?
      text = body.dup.force_encoding(Encoding::UTF_8)
      raise unreadable("is not UTF-8") unless text.valid_encoding?

      fields = @private_keys.empty? ? envelope(text)["event"] : signed_event(bytes, text)
      raise unreadable("has an event that is not an object") unless fields.is_a?(Hash)

      EVENT_CLASSES.fetch(fields["type"], UnknownEvent).new(fields)
    end

    private

    def check_headers(body, headers, now)
      id, timestamp, signatures = delivery_headers(headers)
      check_timestamp(timestamp, now)
      prefix = "#{id}.#{timestamp}.".b
      given = signatures.split(" ")
      return if @secrets.any? do |secret|
        expected = "v1,#{hmac(secret, prefix, body)}"
        given.any? { |signature| same?(expected, signature) }
      end
      return if !@public_keys.empty? && signed_with_public_key?(given, prefix + body)

      raise VerificationError.new(
        :header_signature_wrong,
        "No signature in webhook-signature matches the secret or the public key. Check that it is the key of this " \
        "webhook, and that the body is the raw body: a reserialized body has another signature."
      )
    end

    def delivery_headers(headers)
      found = {}
      headers.each { |name, value| found[name.to_s.downcase.tr("_", "-").delete_prefix("http-")] = value }
      %w[webhook-id webhook-timestamp webhook-signature].map do |name|
        value = Array(found[name]).first.to_s
        raise VerificationError.new(:header_missing, "The header #{name} is missing.") if value.empty?

        value
      end
    end

    def check_timestamp(timestamp, now)
      unless timestamp.match?(/\A[0-9]+\z/)
        message = "webhook-timestamp is not a Unix timestamp in seconds."
        raise VerificationError.new(:timestamp_outside_tolerance, message)
      end
      age = now - timestamp.to_f
      return if age.abs <= @tolerance_seconds

      raise VerificationError.new(
        :timestamp_outside_tolerance,
        "webhook-timestamp is #{format("%.0f", age.abs)} s in the #{age.positive? ? "past" : "future"}, more than the " \
        "#{@tolerance_seconds} s allowed. Check the system clock. If it is correct, this is a replayed delivery."
      )
    end

    def signed_with_public_key?(given, signed)
      given.any? do |text|
        next false unless text.start_with?("v1a,")

        signature = strict_decode64(text.delete_prefix("v1a,"))
        signature&.bytesize == 64 && @public_keys.any? { |key| key.verify(nil, signature, signed) }
      end
    end

    def signed_event(bytes, text)
      tail = bytes.start_with?(HEAD) && TAIL.match(bytes.byteslice(-TAIL_LENGTH, TAIL_LENGTH) || "")
      if tail
        signed = bytes.byteslice(HEAD.bytesize...-TAIL_LENGTH)
        if @private_keys.any? { |key| same?(hmac(key, signed), tail[1]) }
          return parse(text.byteslice(HEAD.bytesize...-TAIL_LENGTH))
        end
      end
      envelope(text)
      raise VerificationError.new(
        :body_signature_wrong,
        "The signature in the body does not match the private key. Check that it is the key of the partner that owns " \
        "the webhook, and that the body was not modified."
      )
    end

    def envelope(text)
      envelope = parse(text)
      is_envelope = envelope.is_a?(Hash) && envelope.key?("event") && envelope.key?("signature")
      raise unreadable("has no event and signature") unless is_envelope
      raise unreadable("has a signature that is not a string") unless envelope["signature"].is_a?(String)

      envelope
    end

    def parse(text)
      JSON.parse(text)
    rescue JSON::ParserError
      raise unreadable("is not JSON"), cause: nil
    end

    def unreadable(why)
      message = %(The body #{why}. A delivery has the form {"event": {…}, "signature": "…"}.)
      VerificationError.new(:body_unreadable, message)
    end

    # Rejects empty keys, often caused by unset environment variables: anyone could sign with an empty key.
    def list_of(name, keys)
      list = keys.is_a?(Array) ? keys : [keys]
      raise ArgumentError, "#{name} contains an empty key." if list.any? { |key| key.nil? || key.empty? }

      list
    end

    def decoded_key(prefix, key, length = nil)
      decoded = strict_decode64(key.delete_prefix(prefix))
      return decoded if decoded && !decoded.empty? && (length.nil? || decoded.bytesize == length)

      size = length && " of #{length} bytes"
      raise ArgumentError, "A key of the webhook is not valid. It must have the form #{prefix} followed by Base64#{size}."
    end

    def ed25519_key(raw)
      OpenSSL::PKey.read(ED25519_PREFIX + raw)
    rescue OpenSSL::PKey::PKeyError
      raise ArgumentError, "The OpenSSL library of this Ruby does not support the public key (Ed25519).", cause: nil
    end

    # Strict: also rejects other texts of the same bytes, whose unused bits differ.
    def strict_decode64(text)
      decoded = text.unpack1("m0")
      decoded if [decoded].pack("m0") == text
    rescue ArgumentError
      nil
    end

    def hmac(key, *parts)
      mac = OpenSSL::HMAC.new(key, "SHA256")
      parts.each { |part| mac << part }
      [mac.digest].pack("m0")
    end

    def same?(expected, given)
      expected.bytesize == given.bytesize && OpenSSL.fixed_length_secure_compare(expected, given)
    end
  end
end
