import type { LanguageTexts } from './language-texts.ts';

export const english: LanguageTexts = {
  firstNames: [
    'Amelia',
    'Oliver',
    'Priya',
    'James',
    'Chloe',
    'Daniel',
    'Grace',
    'Samir',
    'Hannah',
    'Tom',
    'Zoe',
    'Ian',
  ],
  lastNames: ['Carter', 'Hughes', 'Patel', 'Walsh', 'Bennett', 'Okafor', 'Reed', 'Murray', 'Lloyd', 'Shaw'],
  opening: {
    bad: [
      'Really disappointing.',
      'I expected more, to be honest.',
      'First and last time here.',
      'It used to be better.',
      'Not worth the trip.',
      'I rarely write reviews, but this needs to be said.',
    ],
    mixed: [
      'A mixed experience.',
      'It was all right.',
      'Good in parts.',
      'Not bad, not great.',
      'Somewhere in the middle.',
    ],
    good: [
      'Highly recommended!',
      'What a find.',
      'Never disappoints.',
      'Exactly what I was looking for.',
      'We keep coming back.',
      'Lovely people.',
      'Best in the area by far.',
    ],
  },
  about: {
    food: {
      good: [
        'The food was fresh and full of flavour.',
        'Generous portions and a fair price.',
        'Our table was ready on time and the waiter knew the menu by heart.',
        'The coffee alone is worth the walk.',
      ],
      bad: [
        'We waited fifty minutes and the food came cold.',
        'Small portions for what they charge.',
        'The table was sticky and nobody came to clean it.',
        'They got our order wrong twice.',
      ],
    },
    lodging: {
      good: [
        'The room was spotless and quiet.',
        'Breakfast had something for everyone.',
        'Check-in took two minutes, even late at night.',
      ],
      bad: [
        'The walls are thin and the lift is loud.',
        'The bathroom had not been cleaned properly.',
        'Nobody was at the front desk when we arrived.',
      ],
    },
    health: {
      good: [
        'They took the time to explain everything.',
        'I got an appointment on the same day.',
        'Calm, kind and thorough.',
      ],
      bad: [
        'Two hours in the waiting room despite an appointment.',
        'I felt rushed through the door.',
        'The phone is never answered.',
      ],
    },
    beauty: {
      good: [
        'I left with exactly the cut I wanted.',
        'Relaxed atmosphere and a steady hand.',
        'They listened first and then suggested something better.',
      ],
      bad: [
        'The colour is nothing like what we agreed on.',
        'They started half an hour late and then hurried.',
        'It hurt and nobody seemed to care.',
      ],
    },
    office: {
      good: [
        'My question was answered in one visit.',
        'Clear advice without small print.',
        'They called back when they said they would.',
      ],
      bad: [
        'Three letters and still no answer.',
        'The adviser clearly wanted to sell something else.',
        'Closed for lunch although the website says open.',
      ],
    },
    car: {
      good: [
        'The car was ready an hour early.',
        'They showed me the worn part before replacing it.',
        'Fair price, and it came out washed.',
      ],
      bad: [
        'The bill was twice the estimate.',
        'The noise was back after two days.',
        'They kept the car for a week without a word.',
      ],
    },
    shop: {
      good: [
        'A great selection and staff who know it.',
        'They ordered the right size for me at no charge.',
        'Returning something was no trouble at all.',
      ],
      bad: [
        'Half the shelves were empty.',
        'Nobody to be found when you need help.',
        'They would not take it back, although it was broken.',
      ],
    },
  },
  closing: {
    bad: [
      'I will not be back.',
      'Look elsewhere.',
      'Somebody should have a word with the manager.',
      'One star is generous.',
    ],
    mixed: ['I might give it another try.', 'There is room for improvement.', 'Fine if you are nearby.'],
    good: [
      'See you soon!',
      'Five stars from the whole family.',
      'Keep it up.',
      'Thank you for a lovely day.',
      'I have already told my friends.',
    ],
  },
  secondThoughts: [
    'Update: the manager called me and put it right.',
    'Edit: went again last week, it was the same.',
    'Update: after their answer I see it a little differently.',
  ],
  questions: [
    'Do you have parking nearby?',
    'Are dogs allowed?',
    'Are you open on public holidays?',
    'Is there step-free access?',
    'Can I pay by card?',
  ],
  messages: [
    'Hello, do you have a free slot on Friday afternoon?',
    'Hi, I think I left my umbrella with you yesterday. Has it been found?',
    'Could you tell me whether the offer from your website is still on?',
  ],
  comments: [
    'Looks great!',
    'Passed by today, lovely.',
    'When is the next event?',
    'Tag me when it is back!',
    'Always a good idea.',
  ],
  captions: ['The entrance on a sunny morning', 'View from our table', 'New interior', 'Quick snap on the way home'],
  thanks: [
    'Thank you for your kind words, we hope to see you again soon!',
    'That makes our day. Thank you!',
    'Many thanks for taking the time to write.',
  ],
  apologies: [
    'We are sorry that this did not go as it should. Please write to us so that we can put it right.',
    'Thank you for telling us. We have talked about it with the team.',
    'This is not how we want it to be. Please give us a second chance.',
  ],
  customerReplies: [
    'Thanks for getting back to me.',
    'All right, I will come by again.',
    'That does not change what happened, but thank you.',
  ],
};
