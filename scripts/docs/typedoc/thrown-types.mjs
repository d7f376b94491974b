// A TypeDoc plugin: `@throws {TypeError} naming the option` keeps its type, which TypeDoc takes for an annotation and drops.
import { Converter } from 'typedoc';
import ts from 'typescript';

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_SIGNATURE, (_context, signature, declaration) => {
    if (declaration !== undefined) keepTypes(signature.comment, declaration);
  });
}

function keepTypes(comment, declaration) {
  const written = ts.getJSDocTags(declaration).filter((tag) => ts.isJSDocThrowsTag(tag));
  const shown = comment?.getTags('@throws') ?? [];
  for (const [index, tag] of shown.entries()) {
    const type = written[index]?.typeExpression?.type.getText();
    if (type !== undefined) tag.content.unshift({ kind: 'code', text: `\`${type}\`` }, { kind: 'text', text: ' ' });
  }
}
