import type { Phrases } from '../built-in-phrases.ts';

export const english: Phrases = {
  openers: {
    FRIENDLY: ['{topic}: come by and see for yourself!', 'We have something for you: {topic}.', 'Good news: {topic}!'],
    PROFESSIONAL: ['Our topic today: {topic}.', 'We are pleased to present: {topic}.', 'New with us: {topic}.'],
    FUNNY: [
      '{topic}: yes, you read that right!',
      'Stop scrolling for a moment: {topic}!',
      'Do not say we did not tell you: {topic}!',
    ],
    ENTHUSIASTIC: ['{topic}: we can hardly wait!', 'The time has come: {topic}!', 'What a day: {topic}!'],
    INFORMATIVE: ['{topic}: this is what you should know.', 'In brief: {topic}.', 'For your information: {topic}.'],
  },
  place: 'You find us at {name} in {city}.',
  category: 'We are here for you: {category}.',
  services: 'Among our services: {services}.',
  keywords: 'All about {keywords}.',
  open: 'Open on {day}: {hours}.',
  website: 'More at {website}',
  closers: {
    FRIENDLY: ['We look forward to seeing you!', 'See you soon!', 'Drop in any time!'],
    PROFESSIONAL: ['We are glad to advise you.', 'Please get in touch with us.', 'We are at your service.'],
    FUNNY: ['First come, first smile!', 'We will keep a good mood ready for you!', 'Resistance is useless!'],
    ENTHUSIASTIC: ['Do not miss it!', 'Be there!', 'Come and enjoy it with us!'],
    INFORMATIVE: ['Ask us if you would like to know more.', 'We gladly answer your questions.', 'Our team knows more.'],
  },
};
