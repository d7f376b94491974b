import ts from 'typescript';

/** Doc comments are text here, like other comments. */
const parsing = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };

/**
 * The prose of one TypeScript source, each as one line of text with its line number: its comments (adjacent line comments are
 * one), and its messages, which are all string literals with a blank in them, or in a test the names of tests.
 */
export function textsOf(path, text) {
  const source = ts.createSourceFile(path, text, parsing, true, kindOf(path));
  const isTest = /\.(test|nats|browser|system)\.tsx?$/.test(path);
  const ranges = new Map();
  const messages = [];
  const mayHoldComment = commentFinder(text);
  const visit = (node) => {
    if (isMessage(node, isTest)) messages.push({ text: node.text, line: lineOf(source, node.getStart(source)) });
    // Tokens become nodes when they are asked for, which takes most of the time, and matter only beside comments.
    if (node.kind !== ts.SyntaxKind.SyntaxList && !mayHoldComment(node)) {
      ts.forEachChild(node, visit);
      return;
    }
    const children = node.getChildren(source);
    if (children.length === 0) {
      for (const range of ts.getLeadingCommentRanges(text, node.pos) ?? []) ranges.set(range.pos, range);
      for (const range of ts.getTrailingCommentRanges(text, node.end) ?? []) ranges.set(range.pos, range);
    }
    for (const child of children) visit(child);
  };
  visit(source);
  const inOrder = [...ranges.values()].sort((a, b) => a.pos - b.pos);
  return { comments: joined(inOrder.map((range) => commentAt(source, range))), messages };
}

/** True for a node with anything like the start of a comment within it or behind it in its last line. */
function commentFinder(text) {
  const starts = Array.from(text.matchAll(/\/[/*]/g), ({ index }) => index);
  return ({ pos, end }) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle] < pos) low = middle + 1;
      else high = middle;
    }
    if (low === starts.length) return false;
    return starts[low] < end || !text.slice(end, starts[low]).includes('\n');
  };
}

/** The prose of a Markdown page, a line each, without code. */
export function proseOf(markdown) {
  let isCode = false;
  return markdown.split('\n').flatMap((text, index) => {
    const isFence = /^\s*(```|~~~)/.test(text);
    if (isFence) isCode = !isCode;
    return isCode || isFence
      ? []
      : [{ text: text.replace(/`[^`]*`/g, '``').replace(/\]\([^)]*\)/g, ']'), line: index + 1 }];
  });
}

function kindOf(path) {
  return path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
}

function isMessage(node, isTest) {
  if (!ts.isStringLiteral(node) && !isTemplateText(node)) return false;
  if (!node.text.trim().includes(' ')) return false;
  return (
    !isTest || (ts.isCallExpression(node.parent) && /^(test|describe|it)\b/.test(node.parent.expression.getText()))
  );
}

function isTemplateText(node) {
  return (
    node.kind === ts.SyntaxKind.NoSubstitutionTemplateLiteral ||
    node.kind === ts.SyntaxKind.TemplateHead ||
    node.kind === ts.SyntaxKind.TemplateMiddle ||
    node.kind === ts.SyntaxKind.TemplateTail
  );
}

function commentAt(source, { pos, end }) {
  const raw = source.text.slice(pos, end);
  const isLine = raw.startsWith('//');
  const text = isLine ? raw.slice(2).trim() : withoutStars(raw);
  return { text, isLine, line: lineOf(source, pos), lastLine: lineOf(source, end), isAlone: isAlone(source.text, pos) };
}

function joined(comments) {
  const found = [];
  for (const comment of comments) {
    const last = found.at(-1);
    const continues =
      comment.isLine && comment.isAlone && last?.isLine && last.isAlone && last.lastLine === comment.line - 1;
    if (continues) Object.assign(last, { text: `${last.text} ${comment.text}`, lastLine: comment.lastLine });
    else found.push(comment);
  }
  return found.filter(({ text }) => text !== '' && !/^(biome-ignore|@ts-|#region|#endregion)/.test(text));
}

function withoutStars(raw) {
  return raw
    .slice(2, -2)
    .replace(/^\*/, '')
    .replace(/\n\s*\*\s?/g, ' ')
    .trim();
}

function lineOf(source, offset) {
  return source.getLineAndCharacterOfPosition(offset).line + 1;
}

function isAlone(text, start) {
  return text.slice(text.lastIndexOf('\n', start - 1) + 1, start).trim() === '';
}
