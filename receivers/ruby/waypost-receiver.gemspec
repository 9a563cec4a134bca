# frozen_string_literal: true

Gem::Specification.new do |gem|
  gem.name = "waypost-receiver"
  gem.version = "0.1.0"
  gem.summary = "Verify Waypost webhook deliveries and read them as typed events"
  gem.authors = ["Waypost"]
  gem.license = "MIT"
  gem.required_ruby_version = ">= 3.1"
  gem.files = Dir["lib/**/*.rb", "README.md"]
end
