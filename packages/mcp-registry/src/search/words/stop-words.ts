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

/** Everyday words that name no subject of tools, however rare they are. */
export const VAGUE_WORDS: ReadonlySet<string> = new Set(
  (
    'ability able access actually additional advice allow already always another anyone anything around ask ' +
    'assist assistance available based become before begin best better big bit certain clear come common ' +
    'concerning consider could current currently day detail detailed different easily easy effective enhance ' +
    'ensure entire especially even ever every everyone example experience explain explore favorite few fine ' +
    'following general give given going good great guidance guide happen hard hello help helpful hi high idea ' +
    'important include including individual information insight interested kind kindly know latest learn ' +
    'learning less life long look looking lot main manner many mean mind month multiple necessary needed new ' +
    'next nice now number offer often ok old only open overall own part particular perform possible prefer ' +
    'preferably preference professional properly provide provided purpose put question quick quickly range ' +
    'really reason receive recent recently regarding related relevant request require required result right ' +
    'same say see seeking set several should significant similar simple since situation small solution ' +
    'someone something soon specific specifically step still suggest suggestion suitable sure take thank ' +
    'thanks thing think thoroughly time tip today together tomorrow top true try understand unique useful ' +
    'variety various very want way week well whole wish without wonder work working worth year yesterday yet'
  )
    .split(' ')
    .map(stem),
);

/** Words that tools of any subject are named and asked for with. */
export const GENERAL_WORDS: ReadonlySet<string> = new Set(
  (
    'access analysis analyze app application apply build call close content conversion convert data database execute ' +
    'export extract generate generation handle handling import load loading manage management name open operation parse ' +
    'path platform post process processing publish run save select selection send server service share software start ' +
    'stop system text tool transform upload download url write'
  )
    .split(' ')
    .map(stem),
);
