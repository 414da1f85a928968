require "sinatra"
require "json"
require "net/http"
require_relative "articles"

UPSTREAM = URI(ENV.fetch("UPSTREAM_URL", ""))

get "/hello" do
  content_type "text/plain"
  "Hello World!"
end

get "/" do
  answer = Net::HTTP.get_response(UPSTREAM)
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
