// A TypeDoc plugin: a parameter that is taken apart where it is declared is called `options`, which is what it holds.
import { Converter } from 'typedoc';

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_PARAMETER, (_context, parameter) => {
    if (parameter.name === '__namedParameters') parameter.name = 'options';
  });
}
