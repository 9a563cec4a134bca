import type { LanguageTexts } from './language-texts.ts';

export const french: LanguageTexts = {
  firstNames: ['Camille', 'Julien', 'Léa', 'Karim', 'Élodie', 'Mathieu', 'Chantal', 'Hugo', 'Inès', 'Pascal', 'Manon'],
  lastNames: ['Moreau', 'Lefèvre', 'Benali', 'Girard', 'Roux', 'Fontaine', 'Mercier', 'Chevalier', 'Blanchard'],
  opening: {
    bad: [
      'Très déçue.',
      'Je m’attendais à mieux.',
      'Première et dernière fois.',
      'C’était mieux avant.',
      'Ne vaut pas le détour.',
      'Je laisse rarement un avis, mais là il le faut.',
    ],
    mixed: ['Avis mitigé.', 'Correct, sans plus.', 'Du bon et du moins bon.', 'Ni bien ni mal.'],
    good: [
      'Je recommande vivement !',
      'Une belle découverte.',
      'Jamais déçu.',
      'Exactement ce que je cherchais.',
      'On y revient toujours avec plaisir.',
      'Une équipe adorable.',
      'De loin le meilleur du quartier.',
    ],
  },
  about: {
    food: {
      good: [
        'Des produits frais et une cuisine pleine de goût.',
        'Portions généreuses et prix honnêtes.',
        'Le serveur nous a très bien conseillés.',
        'Rien que pour le café, il faut venir.',
      ],
      bad: [
        'Cinquante minutes d’attente pour un plat froid.',
        'De petites portions pour le prix.',
        'La table collait et personne ne l’a nettoyée.',
        'Ils se sont trompés deux fois dans la commande.',
      ],
    },
    lodging: {
      good: [
        'Chambre impeccable et calme.',
        'Petit déjeuner varié et copieux.',
        'Arrivée tardive, accueil en deux minutes.',
      ],
      bad: [
        'Les murs sont fins, on entend tout.',
        'La salle de bain n’était pas propre.',
        'Personne à la réception à notre arrivée.',
      ],
    },
    health: {
      good: [
        'On prend le temps de tout expliquer.',
        'J’ai eu un rendez-vous le jour même.',
        'Calme, à l’écoute et sérieux.',
      ],
      bad: [
        'Deux heures d’attente malgré le rendez-vous.',
        'Consultation expédiée.',
        'Impossible de les joindre par téléphone.',
      ],
    },
    beauty: {
      good: [
        'La coupe est exactement celle que je voulais.',
        'Ambiance détendue et gestes précis.',
        'On m’a écoutée avant de me conseiller.',
      ],
      bad: [
        'La couleur n’a rien à voir avec ce qui était prévu.',
        'Une demi-heure de retard, puis tout a été bâclé.',
        'C’était douloureux et personne ne s’en est soucié.',
      ],
    },
    office: {
      good: [
        'Ma question a été réglée en un rendez-vous.',
        'Des conseils clairs, sans piège.',
        'On m’a rappelé comme promis.',
      ],
      bad: [
        'Trois courriers et toujours aucune réponse.',
        'Le conseiller voulait surtout vendre autre chose.',
        'Fermé à midi alors que le site dit le contraire.',
      ],
    },
    car: {
      good: [
        'La voiture était prête avec une heure d’avance.',
        'On m’a montré la pièce usée avant de la changer.',
        'Prix juste, et la voiture m’a été rendue lavée.',
      ],
      bad: [
        'La facture faisait le double du devis.',
        'Le bruit est revenu au bout de deux jours.',
        'Une semaine d’immobilisation sans un mot.',
      ],
    },
    shop: {
      good: [
        'Beaucoup de choix et des vendeurs qui s’y connaissent.',
        'Ils ont commandé ma taille sans frais.',
        'Échange sans aucune difficulté.',
      ],
      bad: ['La moitié des rayons était vide.', 'Personne pour renseigner.', 'Refus de reprendre un article cassé.'],
    },
  },
  closing: {
    bad: ['Je n’y retournerai pas.', 'Passez votre chemin.', 'Dommage.', 'Une étoile, c’est déjà trop.'],
    mixed: ['À revoir peut-être.', 'Il y a du progrès à faire.', 'Bien si l’on est à côté.'],
    good: ['À très vite !', 'Cinq étoiles de toute la famille.', 'Continuez comme ça.', 'Merci pour ce bon moment.'],
  },
  secondThoughts: [
    'Mise à jour : le responsable m’a appelé et tout est réglé.',
    'Mise à jour : retourné la semaine dernière, rien n’a changé.',
    'Après leur réponse, je vois les choses un peu autrement.',
  ],
  questions: [
    'Y a-t-il un parking à proximité ?',
    'Les chiens sont-ils acceptés ?',
    'Êtes-vous ouverts les jours fériés ?',
    'L’accès est-il de plain-pied ?',
    'Peut-on payer par carte ?',
  ],
  messages: [
    'Bonjour, reste-t-il de la place vendredi après-midi ?',
    'Bonjour, j’ai oublié mon parapluie hier chez vous. L’avez-vous retrouvé ?',
    'L’offre du site est-elle toujours valable ?',
  ],
  comments: [
    'Magnifique !',
    'Passée aujourd’hui, très joli.',
    'À quand le prochain événement ?',
    'Toujours une bonne idée.',
  ],
  captions: [
    'L’entrée un matin de soleil',
    'La vue depuis notre table',
    'Nouvelle décoration',
    'Photo prise en rentrant',
  ],
  thanks: [
    'Merci pour ces mots, au plaisir de vous revoir !',
    'Toute l’équipe vous remercie !',
    'Merci d’avoir pris le temps d’écrire.',
  ],
  apologies: [
    'Nous sommes désolés que cela se soit passé ainsi. Écrivez-nous pour que nous puissions y remédier.',
    'Merci de nous l’avoir signalé. Nous en avons parlé en équipe.',
  ],
  customerReplies: ['Merci pour votre retour.', 'Très bien, je repasserai.', 'Cela ne change rien, mais merci.'],
};
