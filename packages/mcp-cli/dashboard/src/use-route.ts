import { useEffect, useState } from 'preact/hooks';

export const views = ['overview', 'servers', 'tools', 'search', 'calls', 'access', 'config', 'fleet'] as const;
export type ViewName = (typeof views)[number];

/** The view in the address after the `#`: `#/servers/echo`, `#/tools?q=read`. */
export interface Route {
  readonly view: ViewName;
  readonly item?: string | undefined;
  /** Filters and choices of the view. */
  readonly query: Readonly<Record<string, string>>;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const follow = () => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

/** The address of a view. Empty values of the query are left out. */
export function routeTo(view: ViewName, item?: string, query: Route['query'] = {}): string {
  const path = item === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(item)}`;
  const chosen = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return chosen.size === 0 ? path : `${path}?${chosen}`;
}

/** A value of the query of the address. Changes make no new entry in the history. */
export function useQueryValue(route: Route, name: string): readonly [string, (value: string) => void] {
  const given = route.query[name] ?? '';
  const [value, setValue] = useState(given);
  useEffect(() => setValue(given), [route, given]);
  const change = (next: string) => {
    setValue(next);
    const { view, item, query } = parseRoute(location.hash);
    history.replaceState(null, '', routeTo(view, item, { ...query, [name]: next }));
  };
  return [value, change];
}

function parseRoute(hash: string): Route {
  const at = hash.indexOf('?');
  const [, view, item] = (at < 0 ? hash : hash.slice(0, at)).split('/', 3);
  const query = at < 0 ? {} : Object.fromEntries(new URLSearchParams(hash.slice(at + 1)));
  const known = views.find((name) => name === view) ?? 'overview';
  return item === undefined ? { view: known, query } : { view: known, item: decoded(item), query };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
