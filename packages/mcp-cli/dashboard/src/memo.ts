import { Component, type ComponentChildren, createElement, type FunctionComponent } from 'preact';

type Comparisons<Props> = { readonly [Name in keyof Props]?: (one: Props[Name], other: Props[Name]) => boolean };

/**
 * Draws again only when a property changes, by identity or by its comparison. For rows of long lists: elements that
 * `useMemo` keeps refer to the rows that were once beside them, so a list whose rows come and go would never be freed.
 */
export function memo<Props extends object>(Inner: FunctionComponent<Props>, comparisons: Comparisons<Props> = {}) {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return !isSame(this.props, next, comparisons);
    }

    render(): ComponentChildren {
      return createElement(Inner, this.props);
    }
  };
}

function isSame<Props extends object>(one: Props, other: Props, comparisons: Comparisons<Props>): boolean {
  const names = Object.keys(other) as (keyof Props)[];
  const isSameIn = (name: keyof Props) => (comparisons[name] ?? Object.is)(one[name], other[name]);
  return names.length === Object.keys(one).length && names.every(isSameIn);
}
