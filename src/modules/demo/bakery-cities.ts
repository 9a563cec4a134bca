import { city, type DemoCity, district } from './demo-address.ts';

const germany = { country: 'DE', language: 'de', timeZone: 'Europe/Berlin' } as const;
const austria = { country: 'AT', language: 'de', timeZone: 'Europe/Vienna' } as const;
const switzerland = { country: 'CH', timeZone: 'Europe/Zurich' } as const;

export const bakeryCities: readonly DemoCity[] = [
  city(
    { ...germany, name: 'Berlin', province: 'Berlin', phone: '+493023125xxx' },
    district('10115', 52.5323, 13.3846, 'Chausseestraße', 'Invalidenstraße', 'Gartenstraße'),
    district('10999', 52.4985, 13.4218, 'Oranienstraße', 'Skalitzer Straße', 'Reichenberger Straße'),
    district('10439', 52.552, 13.4125, 'Schönhauser Allee', 'Wichertstraße', 'Schivelbeiner Straße'),
  ),
  city(
    { ...germany, name: 'Hamburg', province: 'Hamburg', phone: '+494066969xxx' },
    district('20354', 53.556, 9.987, 'Jungfernstieg', 'Colonnaden', 'Große Bleichen'),
    district('22767', 53.55, 9.946, 'Große Bergstraße', 'Holstenstraße', 'Königstraße'),
    district('22303', 53.5925, 10.013, 'Mühlenkamp', 'Gertigstraße', 'Barmbeker Straße'),
  ),
  city(
    { ...germany, name: 'München', province: 'Bayern', phone: '+498999998xxx' },
    district('80331', 48.1355, 11.572, 'Sendlinger Straße', 'Rosental', 'Kaufingerstraße'),
    district('80799', 48.1525, 11.5775, 'Türkenstraße', 'Schellingstraße', 'Amalienstraße'),
    district('81667', 48.131, 11.599, 'Weißenburger Straße', 'Pariser Straße', 'Steinstraße'),
  ),
  city(
    { ...germany, name: 'Köln', province: 'Nordrhein-Westfalen', phone: '+492214710xxx' },
    district('50667', 50.9385, 6.955, 'Hohe Straße', 'Breite Straße', 'Schildergasse'),
    district('50674', 50.932, 6.938, 'Aachener Straße', 'Lindenstraße', 'Richard-Wagner-Straße'),
    district('50823', 50.951, 6.92, 'Venloer Straße', 'Körnerstraße', 'Subbelrather Straße'),
  ),
  city(
    { ...germany, name: 'Frankfurt am Main', province: 'Hessen', phone: '+496990009xxx' },
    district('60313', 50.1165, 8.6835, 'Zeil', 'Große Eschenheimer Straße', 'Schäfergasse'),
    district('60594', 50.1035, 8.6905, 'Schweizer Straße', 'Textorstraße', 'Wallstraße'),
    district('60316', 50.123, 8.696, 'Berger Straße', 'Musikantenweg', 'Sandweg'),
  ),
  city(
    { ...germany, name: 'Leipzig', province: 'Sachsen', phone: '+4934196xxxxx' },
    district('04109', 51.34, 12.373, 'Petersstraße', 'Grimmaische Straße', 'Nikolaistraße'),
    district('04275', 51.324, 12.374, 'Karl-Liebknecht-Straße', 'Kochstraße', 'August-Bebel-Straße'),
    district('04229', 51.327, 12.334, 'Karl-Heine-Straße', 'Zschochersche Straße', 'Weißenfelser Straße'),
  ),
  city(
    { ...germany, name: 'Stuttgart', province: 'Baden-Württemberg', phone: '+4971122xxxxx' },
    district('70173', 48.778, 9.179, 'Königstraße', 'Schulstraße', 'Kronenstraße'),
    district('70178', 48.769, 9.169, 'Tübinger Straße', 'Marienstraße', 'Reinsburgstraße'),
    district('70372', 48.806, 9.215, 'Marktstraße', 'Bahnhofstraße', 'König-Karl-Straße'),
  ),
  city(
    { ...germany, name: 'Dresden', province: 'Sachsen', phone: '+4935148xxxxx' },
    district('01067', 51.051, 13.733, 'Wilsdruffer Straße', 'Schweriner Straße', 'Ostra-Allee'),
    district('01099', 51.066, 13.751, 'Alaunstraße', 'Louisenstraße', 'Rothenburger Straße'),
    district('01309', 51.044, 13.789, 'Borsbergstraße', 'Tittmannstraße', 'Pohlandstraße'),
  ),
  city(
    { ...austria, name: 'Wien', phone: '+431512xxxx' },
    district('1010', 48.2085, 16.3725, 'Kärntner Straße', 'Wollzeile', 'Rotenturmstraße'),
    district('1070', 48.2015, 16.349, 'Neubaugasse', 'Kaiserstraße', 'Burggasse'),
    district('1090', 48.224, 16.357, 'Porzellangasse', 'Währinger Straße', 'Nussdorfer Straße'),
  ),
  city(
    { ...austria, name: 'Graz', province: 'Steiermark', phone: '+4331682xxxx' },
    district('8010', 47.071, 15.442, 'Herrengasse', 'Sporgasse', 'Leonhardstraße'),
    district('8020', 47.069, 15.428, 'Annenstraße', 'Mariahilferstraße', 'Keplerstraße'),
    district('8055', 47.031, 15.435, 'Puntigamer Straße', 'Triester Straße', 'Mitterstraße'),
  ),
  city(
    { ...austria, name: 'Linz', province: 'Oberösterreich', phone: '+4373277xxxx' },
    district('4020', 48.303, 14.29, 'Landstraße', 'Herrenstraße', 'Bethlehemstraße'),
    district('4040', 48.319, 14.282, 'Hauptstraße', 'Rudolfstraße', 'Freistädter Straße'),
    district('4030', 48.254, 14.305, 'Wiener Straße', 'Dauphinestraße', 'Ennsfeldstraße'),
  ),
  city(
    { ...switzerland, name: 'Zürich', province: 'ZH', language: 'de', phone: '+4144211xxxx' },
    district('8001', 47.372, 8.539, 'Bahnhofstrasse', 'Rennweg', 'Löwenstrasse'),
    district('8004', 47.3775, 8.524, 'Langstrasse', 'Badenerstrasse', 'Militärstrasse'),
    district('8008', 47.357, 8.556, 'Seefeldstrasse', 'Dufourstrasse', 'Kreuzstrasse'),
  ),
  city(
    { ...switzerland, name: 'Bern', province: 'BE', language: 'de', phone: '+4131311xxxx' },
    district('3011', 46.948, 7.446, 'Spitalgasse', 'Marktgasse', 'Kramgasse'),
    district('3012', 46.956, 7.432, 'Länggassstrasse', 'Mittelstrasse', 'Hallerstrasse'),
    district('3014', 46.96, 7.455, 'Moserstrasse', 'Rodtmattstrasse', 'Breitenrainstrasse'),
  ),
  city(
    { ...switzerland, name: 'Lausanne', province: 'VD', language: 'fr', phone: '+4121311xxxx' },
    district('1003', 46.5195, 6.632, 'Rue de Bourg', 'Rue Centrale', 'Rue du Petit-Chêne'),
    district('1004', 46.5265, 6.622, 'Avenue de France', 'Avenue d’Échallens', 'Rue de Genève'),
    district('1006', 46.5135, 6.634, 'Avenue d’Ouchy', 'Boulevard de Grancy', 'Rue du Simplon'),
  ),
];
