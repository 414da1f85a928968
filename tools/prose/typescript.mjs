// Prints the comments and the texts for people of TypeScript files. Standard input is a JSON list of
// paths, the output a JSON list with, for each file, its [line, text] pairs.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../frontend/package.json', import.meta.url));
const ts = require('typescript');

const PROSE = /[A-Za-z][a-z]+,? [a-z]+/;
const DIRECTIVE = /^(eslint-|@ts-|prettier-|\/ <reference)/;

function extract(path) {
  const source = readFileSync(path, 'utf8');
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, kind);
  const lineOf = (position) => file.getLineAndCharacterOfPosition(position).line + 1;
  const comments = new Map();
  const passages = [];

  function collectComments(position) {
    for (const range of [
      ...(ts.getLeadingCommentRanges(source, position) ?? []),
      ...(ts.getTrailingCommentRanges(source, position) ?? []),
    ]) {
      comments.set(range.pos, range);
    }
  }

  function visit(node) {
    if (node.kind !== ts.SyntaxKind.JsxText) {
      collectComments(node.getFullStart());
      collectComments(node.getEnd());
    }
    const text = textOf(node);
    if (text && PROSE.test(text)) {
      passages.push([lineOf(node.getStart()), text.replace(/\s+/g, ' ').trim()]);
    }
    // A JSX element is one text with all that stands inline in it.
    ts.forEachChild(node, visit);
    if (node.kind === ts.SyntaxKind.EndOfFileToken) collectComments(node.getFullStart());
  }

  visit(file);
  passages.push(...joinComments([...comments.values()], source, lineOf));
  return passages;
}

function textOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    return ts.isImportDeclaration(node.parent) ? '' : node.text;
  }
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map((span) => `X${span.literal.text}`).join('');
  }
  if (ts.isJsxElement(node) || ts.isJsxFragment(node)) return textOfElement(node);
  return '';
}

// The texts of an element with a placeholder for each expression and child, as people read them.
function textOfElement(node) {
  if (!node.children.some((child) => ts.isJsxText(child) && child.text.trim())) return '';
  return node.children
    .map((child) => {
      if (ts.isJsxText(child)) return child.text;
      const literal = ts.isJsxExpression(child) && child.expression;
      if (literal && ts.isStringLiteral(literal)) return literal.text;
      return ts.isJsxExpression(child) && !literal ? '' : 'X';
    })
    .join('');
}

// Line comments on neighbouring lines are one passage.
function joinComments(ranges, source, lineOf) {
  const passages = [];
  let last = 0;
  for (const range of ranges.sort((a, b) => a.pos - b.pos)) {
    const raw = source.slice(range.pos, range.end);
    const line = lineOf(range.pos);
    const isLine = range.kind === ts.SyntaxKind.SingleLineCommentTrivia;
    const text = isLine
      ? raw.replace(/^\/+ ?/, '')
      : raw
          .slice(2, -2)
          .split('\n')
          .map((part) => part.trim().replace(/^\*+ ?/, ''))
          .join('\n');
    if (DIRECTIVE.test(text.trim())) continue;
    if (isLine && passages.length > 0 && line === last + 1) {
      passages[passages.length - 1][1] += `\n${text}`;
    } else {
      passages.push([line, text]);
    }
    last = isLine ? line : 0;
  }
  return passages;
}

const paths = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(paths.map(extract)));
