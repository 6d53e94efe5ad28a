# SPDX-License-Identifier: Apache-2.0
"""The player's goal in each game, in a line: `envpool list-envs` and the pages show it."""

from __future__ import annotations

_LINES = """
adventure: find the enchanted chalice and bring it to the golden castle, past dragons and a bat
air_raid: shoot the planes that bomb the houses you defend
alien: crush all eggs in the corridors of a spaceship and keep away from the aliens
amidar: walk along all edges of the boxes to fill them, chased by warriors
assault: shoot the drones of a mother ship, and do not let the cannon overheat
asterix: collect the objects of each lane and dodge the lyres
asteroids: break rocks and satellites to pieces without being hit by one
atlantis: shoot down the ships that pass over a city before they destroy it
atlantis2: shoot down faster ships that pass over a city before they destroy it
backgammon: bear off all your checkers before the opponent does
bank_heist: drive through mazes, rob banks, and drop dynamite on the police
basic_math: answer sums with the right digits
battle_zone: steer a tank in three dimensions and shoot the enemy's tanks
beam_rider: jump between beams and shoot saucers with lasers and torpedoes
berzerk: shoot the robots of a maze and leave it before Evil Otto comes
blackjack: bet and draw cards up to 21 against the dealer
bowling: roll balls at ten pins for ten frames
boxing: land more punches than the opponent in two minutes
breakout: keep the ball in play with a paddle and knock out the bricks of a wall
carnival: shoot the rows of targets before the bullets run out
casino: win chips at card tables
centipede: shoot a centipede that comes down through mushrooms, and the spider beside it
chopper_command: protect a convoy of trucks from planes with a helicopter
crazy_climber: climb skyscrapers whose windows close, past falling things
crossbow: shoot what endangers the friends who walk across the screen
darkchambers: go down through dungeons, collect treasure, and fight what lives there
defender: shoot landers before they carry the humans away
demon_attack: shoot waves of demons that come down over an ice planet
donkey_kong: climb girders and ladders past rolling barrels to the captive
double_dunk: win a game of two-on-two basketball
earthworld: carry the right objects into the rooms of a zodiac
elevator_action: collect secret documents behind doors, ride elevators, and leave by car
enduro: overtake the day's number of cars, by day and night, in snow and fog
entombed: keep going through a maze that scrolls, or be pushed out of it
et: find the parts of a telephone in pits and call home
fishing_derby: catch more fish than the other angler, past the shark
flag_capture: find the hidden flag by the clues under the squares
freeway: bring a chicken across ten lanes of traffic, again and again
frogger: bring frogs across a road and a river to their homes
frostbite: jump on ice floes to build an igloo, and go in before you freeze
galaxian: shoot a formation of aliens that dive at you one by one
gopher: keep a gopher from the carrots by filling its tunnels
gravitar: fly against the gravity of planets, shoot bunkers, and fetch fuel
hangman: guess the word letter by letter
haunted_house: gather the pieces of an urn by the light of matches and leave the house
hero: fly through mine shafts, blast walls, and rescue the miners
human_cannonball: choose angle and speed to shoot a man into a tower of water
ice_hockey: score more goals than the other team of two
jamesbond: drive a vehicle that jumps, dives and shoots through four missions
journey_escape: bring the band's members through a crowd of fans and photographers
kaboom: catch bombs with buckets before one reaches the ground
kangaroo: climb to the child past monkeys that throw apples
keystone_kapers: catch the thief in the department store before the time is over
king_kong: climb a building past bombs to the captive at its top
klax: catch coloured tiles and drop them into lines of three
koolaid: catch what flies by before the thirsties drink the pool
krull: ride, fight and solve the stages of a quest to the Black Fortress
kung_fu_master: kick and punch a way through five floors of henchmen
laser_gates: fly through a computer's caves, past walls, and shoot what blocks the way
lost_luggage: catch the suitcases that fly off a carousel
mario_bros: kick over the pests that come out of pipes
miniature_golf: hole the ball in few strokes, past moving obstacles
montezuma_revenge: search an underground temple for keys and treasure, past deadly traps
mr_do: dig for cherries and drop apples on monsters
ms_pacman: eat all dots of mazes, and the ghosts after a power pill
name_this_game: guard a treasure from a shark and an octopus, and mind the air
othello: turn the opponent's pieces to own most of the board
pacman: eat all wafers of a maze, and the ghosts after a power pill
phoenix: shoot birds and their mother ship, with a shield for emergencies
pitfall: swing, jump and run through a jungle for treasure in twenty minutes
pitfall2: search caves for gold, a rat and two lost companions
pong: return the ball past the opponent's paddle, to be the first with 21 points
pooyan: shoot the balloons of wolves from an elevator before they reach the piglets
private_eye: search a city for clues and stolen goods, and catch the suspect
qbert: hop on all cubes of a pyramid to change their colour
riverraid: fly along a river, shoot what is on it, and fly over depots for fuel
road_runner: run from the coyote, pick up seed, and dodge trucks
robotank: hunt enemy tanks by radar, in night, fog and snow
seaquest: rescue divers with a submarine, shoot sharks, and come up for air
sir_lancelot: ride a flying horse through beasts to the castle, and slay the dragon
skiing: ski down a slope through all gates in the shortest time
solaris: cross the galaxy from sector to sector to find a planet, and fight on the way
space_invaders: shoot rows of aliens before they land, from behind shields
space_war: outshoot another ship around a star
star_gunner: shoot saucers over a city while one drops bombs
superman: catch the villains, mend the bridge, and change back at the office
surround: leave a wall behind you and make the opponent run into one
tennis: win a set against an opponent across the net
tetris: turn falling pieces so that they fill whole lines
tic_tac_toe_3d: place four in a line in a cube of four boards
time_pilot: shoot down the aircraft of one era after the other
trondead: throw a disc at the warriors of an arena and dodge theirs
turmoil: shoot what races along seven alleys, and fetch prizes from dead ends
tutankham: search tombs for treasure, shooting snakes and bats
up_n_down: collect flags along hilly roads and jump over the other cars
venture: take the treasure of each room, guarded by monsters
video_checkers: capture or block all of the opponent's pieces
video_chess: checkmate the computer
video_cube: make each side of a cube one colour
video_pinball: keep the ball on the table with flippers, for bumpers and bonuses
wizard_of_wor: shoot the monsters of a dungeon, and the wizard himself
word_zapper: shoot letters in the order of a word before the time is over
yars_revenge: eat through a shield and hit the Qotile with a cannon's single shot
zaxxon: fly over a fortress in slanted view, mind height and fuel, and shoot
"""

DESCRIPTIONS: dict[str, str] = dict(line.split(": ", 1) for line in _LINES.strip().splitlines())
"""By the name of the game; the continuation of "Pong: "."""
