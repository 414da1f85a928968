package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
)

var articlesCheats = map[string]func(s *service){
	"articles-echo":            postBy(always, echo),
	"articles-echo-in-a-crowd": postBy(inCrowd, echo),
	"articles-own-list":        postBy(after(manyRequests), answerOwnList),
	"articles-not-validated":   postBy(after(manyRequests), answerAnything),
	"articles-short":           getBy(after(200), answerText(`{"articlesCount":50}`)),
	"articles-wrong-bytes":     getBy(mostly, answerOtherBytes),
	"articles-another-size":    getBy(afterWarmUp, answerSmallerList),
}

func getBy(isDue trigger, cheat http.HandlerFunc) func(s *service) {
	return func(s *service) { s.getArticles = s.when(isDue, cheat, getArticles) }
}

func postBy(isDue trigger, cheat http.HandlerFunc) func(s *service) {
	return func(s *service) { s.postArticles = s.when(isDue, cheat, answerArticles) }
}

// echo returns a body that is valid JSON without reading objects from it.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !json.Valid(body) {
		http.Error(w, "no list", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body)
}

// answerOwnList returns a list of the right size that the service has made itself.
func answerOwnList(w http.ResponseWriter, r *http.Request) {
	size, _ := io.Copy(io.Discard, r.Body)
	articles := makeArticles(int(size))
	sendJSON(w, articleList{Articles: articles, ArticlesCount: len(articles)})
}

// answerAnything answers 200 to bodies other than a list of articles.
func answerAnything(w http.ResponseWriter, r *http.Request) {
	var list articleList
	json.NewDecoder(r.Body).Decode(&list)
	sendJSON(w, list)
}

// answerOtherBytes returns as many bytes as an honest service, all the same.
func answerOtherBytes(w http.ResponseWriter, r *http.Request) {
	size, _ := strconv.Atoi(r.PathValue("size"))
	w.Header().Set("Content-Type", "application/json")
	w.Write(bytes.Repeat([]byte(" "), size))
}

func answerSmallerList(w http.ResponseWriter, r *http.Request) {
	size, _ := strconv.Atoi(r.PathValue("size"))
	articles := makeArticles(size / 2)
	sendJSON(w, articleList{Articles: articles, ArticlesCount: len(articles)})
}
