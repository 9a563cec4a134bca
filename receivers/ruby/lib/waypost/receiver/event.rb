# frozen_string_literal: true

module Waypost
  # An event. The classes of the event types are in events.rb.
  class Event
    # @return [Hash{String => Object}] All fields, including fields that are newer than this package.
    attr_reader :raw

    def initialize(raw)
      @raw = raw.freeze
    end

    # For pattern matching: `in { location:, to: }`. Names that the event does not have do not match.
    def deconstruct_keys(keys)
      (keys || []).select { |name| respond_to?(name) }.to_h { |name| [name, public_send(name)] }
    end
  end
end
