/** The object without fields that are `undefined`. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;
}

type Present<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };
