const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const GIVEN_NAMES = words(`
  Ada Aino Alba Amir Anouk Arjun Astrid Aylin Bashir Beatriz Bram Carys Chidi Clara Dana Davor
  Eero Elif Emeka Enzo Esther Farah Femi Fiona Freya Gabriel Greta Hana Hugo Ilse Imani Ingrid
  Isak Ivo Jana Jiro João Jonas Kamil Keiko Kenji Laila Lars Leandro Linnea Lucía Maeve Malik
  Marek Matilda Mei Milan Naoko Nadia Niamh Noor Oskar Otieno Paloma Per Priya Rafael Rosa Rune
  Sakura Samira Sanne Selin Sina Søren Tariq Tereza Thandi Tove Ulla Vera Viggo Wanjiru Yara Zoë
`);

export const FAMILY_NAMES = words(`
  Abara Adeyemi Ahlström Almeida Amari Ashdown Bakker Barros Bellamy Berg Bergqvist Blackwood
  Brandt Castell Chowdhury Cooper Dahl Delgado Ekström Endo Falk Farrow Fonseca Forsberg Fujita
  Gallagher Garnett Gomes Grant Haddad Halloran Hansen Hartwell Hayashi Holm Ibarra Inoue Jansson
  Juma Kamau Kapoor Karlsen Kato Kimani Kowal Laurent Leal Lindholm Lovell Madsen Marques Mbeki
  Mercer Moreau Mwangi Nakamura Navarro Nilsen Norberg Ochieng Okafor Olsson Osei Pereira Quist
  Ramos Reyes Rosén Saito Salazar Santoro Sharma Silveira Strand Sundin Takeda Thorne Valente
  Vance Vidal Wachira Weaver Winther Yamada Zeller
`);
