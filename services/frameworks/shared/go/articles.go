package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

const sentence = "lorem ipsum dolor sit amet "

type author struct {
	Username  string `json:"username"`
	Bio       string `json:"bio"`
	Image     string `json:"image"`
	Following bool   `json:"following"`
}

type article struct {
	Slug           *string  `json:"slug,omitempty"`
	Title          string   `json:"title"`
	Description    *string  `json:"description,omitempty"`
	Body           *string  `json:"body,omitempty"`
	TagList        []string `json:"tagList,omitzero"`
	CreatedAt      *string  `json:"createdAt,omitempty"`
	UpdatedAt      *string  `json:"updatedAt,omitempty"`
	Favorited      *bool    `json:"favorited,omitempty"`
	FavoritesCount *int     `json:"favoritesCount,omitempty"`
	Author         *author  `json:"author,omitempty"`
}

type articleList struct {
	Articles      []article `json:"articles"`
	ArticlesCount int       `json:"articlesCount"`
}

var lists sync.Map // size to articleList

func text(length int) string {
	return strings.Repeat(sentence, length/len(sentence)+1)[:length]
}

func makeArticle(number int, body string) article {
	isEven := number%2 == 0
	return article{
		Slug:           new(fmt.Sprintf("article-%06d", number)),
		Title:          fmt.Sprintf("Article %06d", number),
		Description:    new(fmt.Sprintf("What article %06d is about", number)),
		Body:           &body,
		TagList:        []string{"training", "dragons"},
		CreatedAt:      new("2026-01-01T00:00:00.000Z"),
		UpdatedAt:      new("2026-01-02T00:00:00.000Z"),
		Favorited:      &isEven,
		FavoritesCount: new(100 + number%900),
		Author: &author{
			Username:  fmt.Sprintf("author-%06d", number),
			Bio:       "Writes articles",
			Image:     "author.png",
			Following: !isEven,
		},
	}
}

func makeArticles(size int) []article {
	if size < 1000 {
		return []article{{Title: text(max(size-45, 0))}}
	}
	count := size / 1000
	bodies := size - 31 - len(strconv.Itoa(count)) - count*356
	articles := make([]article, count)
	for index := range articles {
		length := bodies / count
		if index < bodies%count {
			length++
		}
		articles[index] = makeArticle(index+1, text(length))
	}
	return articles
}

func getArticles(w http.ResponseWriter, r *http.Request) {
	size, err := strconv.Atoi(r.PathValue("size"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	list, isKnown := lists.Load(size)
	if !isKnown {
		articles := makeArticles(size)
		list = articleList{Articles: articles, ArticlesCount: len(articles)}
		lists.Store(size, list)
	}
	sendJSON(w, list)
}

func answerArticles(w http.ResponseWriter, r *http.Request) {
	var list articleList
	if err := json.NewDecoder(r.Body).Decode(&list); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sendJSON(w, list)
}
