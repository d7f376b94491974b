/** The first sentence of a text, up to its full stop or colon. Neither ends it inside of `code`. */
export function firstSentence(text) {
  return /^(?:`[^`]*`|[^`])*?(?=[.:](\s|$))/.exec(text)?.[0] ?? '';
}
