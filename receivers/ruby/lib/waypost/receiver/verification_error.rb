# frozen_string_literal: true

module Waypost
  # The delivery is not authentic. Respond with 401 and do not process it.
  class VerificationError < StandardError
    # @return [Symbol] :body_unreadable, :body_signature_wrong, :header_missing, :header_signature_wrong or
    #   :timestamp_outside_tolerance
    attr_reader :code

    def initialize(code, message)
      super(message)
      @code = code
    end
  end
end
