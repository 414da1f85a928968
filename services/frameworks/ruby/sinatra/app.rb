require "sinatra"
require "json"
require "net/http"
require_relative "articles"

UPSTREAM_URL = ENV["UPSTREAM_URL"]

# As the contract requires: no access log.
disable :logging

# The contract requires that connections stay open for the next call: each thread has its own.
def upstream
  uri = URI(UPSTREAM_URL)
  Thread.current[:upstream] ||= Net::HTTP.start(uri.host, uri.port, keep_alive_timeout: 60)
end

get "/hello" do
  content_type "text/plain"
  "Hello World!"
end

get "/" do
  query = URI.encode_www_form(nonce: params.fetch("nonce", ""))
  answer = upstream.get("/?#{query}")
  halt 502 unless answer.is_a?(Net::HTTPSuccess)
  content_type "text/plain"
  answer.body
end

get "/articles/:size" do |size|
  content_type "application/json"
  article_list(size.to_i).to_json
end

post "/articles" do
  list = JSON.parse(request.body.read)
  halt 400 unless article_list?(list)
  content_type "application/json"
  list.to_json
rescue JSON::ParserError
  halt 400
end

get "/health" do
  content_type "text/plain"
  "ok"
end
