import { stem } from './tokenize.js';

export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about all also am an and any are as at be been being but by can could did do does each for from had has have ' +
    'he her here him his how i if in into is it its just let like may me might more most must my need no not of on ' +
    'one or other our out over please s she should so some such t tell than that the their them then there these they ' +
    'this those through to too tool under us use used using via want was we were what when where which while who why ' +
    'will with within without would you your'
  )
    .split(' ')
    .map(stem),
);

/**
 * Everyday words that seldom tell one tool from another, however rare they are among the tools. None of them names a
 * thing that tools are about.
 */
export const VAGUE_WORDS: ReadonlySet<string> = new Set(
  (
    'ability able access actually additional advice allow already always amazing another anyone anything area ' +
    'around ask asked assist assistance available based become before begin best better big bit carefully ' +
    'certain choose clear come common comprehensive concerning consider could curious current currently day ' +
    'detail detailed different easily easy effective effectively enhance ensure entire especially even ever ' +
    'every everyone exactly example exciting experience explain explore far favorite few fine following ' +
    'friend fun general getting give given going good great guidance guide happen happy hard hello help ' +
    'helpful hey hi high highly hope hour idea immediately impact important include including increase ' +
    'individual information insight instance interest interested interesting kind kindly know latest learn ' +
    'learning less life long look looking lot love low main maintain manner many matter mean memorable mind ' +
    'month multiple name nearby necessary needed new next nice now number offer often ok old only open ' +
    'overall own part particular perfect perform personal place platform point popular possible potential ' +
    'precise prefer preferably preference process processing professional properly provide provided purpose ' +
    'put quality question quick quickly range rather really reason receive recent recently regarding related ' +
    'relevant request require required requirement resource result right role same say see seeking service ' +
    'set several should significant similar simple since situation small solution someone something soon ' +
    'specific specifically step still strategy stuff success successful suggest suggestion suitable sure ' +
    'system take technique thank thanks thing think thoroughly thought time tip today together tomorrow top ' +
    'true trustworthy try trying type understand understanding unique upcoming upon useful utility valuable ' +
    'variety various very want way week well whether whole wide wish without wonder wondering work working ' +
    'world worry worth year yesterday yet'
  )
    .split(' ')
    .map(stem),
);
