/** Expressions of RFC 6570 with their operator and variables. */
const expression = /\{([+#./;?&]?)([\w.%,:*]+)\}/g;
const maxVariables = 50;

/** The variables of a template, each once, in order. */
export function variablesOf(template: string): readonly string[] {
  const names = Array.from(template.matchAll(expression), ([, , list = '']) => namesIn(list)).flat();
  return [...new Set(names)].slice(0, maxVariables);
}

/** Without list and length modifiers. */
function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((each) => each.replace(/(?:\*|:\d+)$/, ''))
    .filter((name) => name !== '');
}

const operators: Readonly<
  Record<string, { readonly first: string; readonly between: string; readonly isNamed?: true }>
> = {
  '': { first: '', between: ',' },
  '+': { first: '', between: ',' },
  '#': { first: '#', between: ',' },
  '.': { first: '.', between: '.' },
  '/': { first: '/', between: '/' },
  ';': { first: ';', between: ';', isNamed: true },
  '?': { first: '?', between: '&', isNamed: true },
  '&': { first: '&', between: '&', isNamed: true },
};

/** The URI for texts. An expression whose variables have none is left out, as the specification says. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(expression, (_whole, operator: string, list: string) => {
    const { first, between, isNamed } = operators[operator] ?? { first: '', between: ',' };
    const parts = namesIn(list).flatMap((name) => {
      const value = Object.hasOwn(values, name) ? (values[name] ?? '') : '';
      if (value === '') return [];
      const text = operator === '+' || operator === '#' ? encodeURI(value) : encodeURIComponent(value);
      return [isNamed ? `${name}=${text}` : text];
    });
    return parts.length === 0 ? '' : first + parts.join(between);
  });
}
