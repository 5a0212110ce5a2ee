export { MOST_COUNTED, type Place } from './find.js';
export { Search, LONGEST_TEXT, type Hit, type Hits, type Question } from './search.js';
export { RANKS } from './rank.js';
export { MOST_CHARACTERS } from './searched-texts.js';
