/** True if one inserted, removed or changed letter, or one swap of neighbours, makes the words equal. */
export function isOneEditApart(left: string, right: string): boolean {
  const difference = right.length - left.length;
  if (difference > 1 || difference < -1 || left === right) return false;
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left.charCodeAt(start) === right.charCodeAt(start)) start++;
  let end = 0;
  while (end < shorter - start && left.charCodeAt(left.length - 1 - end) === right.charCodeAt(right.length - 1 - end))
    end++;
  if (difference !== 0) return start + end >= shorter;
  const middle = left.length - start - end;
  if (middle <= 1) return true;
  return middle === 2 && left[start] === right[start + 1] && left[start + 1] === right[start];
}
