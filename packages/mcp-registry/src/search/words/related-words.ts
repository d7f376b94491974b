/**
 * A word and its related words a line, by `scripts/relations/learn.mjs` from texts of Toucan, docker/mcp-registry and
 * public-apis (MIT), the Berkeley Function-Calling Leaderboard (Apache-2.0), and WordNet 3.1 (Princeton University).
 */
export const RELATED_WORDS = `\
absolute directory path output
accept follow
accepted standard practice rule
accessible integrated utility friendly needing
accessing retrieving specialized retrieval providing searching revolve particularly primarily
according rule practice standard
account transaction balance bank payment
accurate precise delivering geographic reliable
acid containing
across track analyze
act taking action
acting role action
action act
activity social
actor role movie show
addition sum
adjacent area between
admin kong zpa update delete zia app create
advance act progress
advanced structured leverage tailored gemini processing model
advantage gain
advocate social policy government
affair government person social
africa region world
african large
after last during
again after make
agaric cap
agency government
agent enhanced enable client seamlessly simplify desktop protocol claude
aggregation collection gathering
aid health
aim aspect action direct
air engine
aircraft air vehicle engine
airplane air flight
alcohol drink
algae class
allowed select non desired check requirement
allowing management managing integrating task interact interaction handling listing
alter change make
america large
american large world
among social group
amount rate cost payment percentage
analyzing offering comprehensive specialized
angele ticket destination seating preferred yyyy
angle point line
animal human
api dashboard fetch data profile
apis application server mcp llm enable integrated enhanced capability
app email message create read admin dashboard zia
appear suggesting likely
application standardized server apis mcp enable llm capability integration
applied apply method
apply array
approach problem thinking solving
architecture art design built style
arctic region
arg return str redis optional ctx string
armed against
army during
aromatic root
arrange plan place
arranged sery order
arrangement sery
array optional value empty specify
art style
artery either
artist genre concert cultural
asia region large world
aspect ideal marketing
asset balance financial portfolio exchange cryptocurrency
assistant efficiently enable workflow efficient integrate seamlessly enhanced server
associated status identifier admin kong uuid
association relationship group social
atlantic found along
atmosphere air
attack against
attempt login success
attitude view
attribute property
australia large region
australian large
authority official power government
automate streamline task workflow handling productivity interact
automated additionally powered assisted interactive
automatic ensuring detection
automatically txt input instead ctx save
automating streamlining programmatic task creating
automation interaction interact interacting programmatic
automobile vehicle car engine drive
availability criteria rating find locate provider location review
average minimum size score
away move down remove
axis point
baby children
back down move
background representation display
backward toward reverse move
bacteria cell
balance transaction account asset wallet
ball player
bank payment
bar frame
base height
baseball player
basic utility
basis rather
basketball sport player team game score
batch archive crm stack automatically upload
battle during against
bean root
beauty art
because person
bed home children
beginning last after
behavior practice personality
behind down position
belief practice
believe view
bell cluster
belonging property
below level
berry cluster
between two point
biological study
biology cell
bird animal
bitter strong
black color
blade handle
blockchain wallet ethereum
blood cell
blue color cluster deep
board card
boat along vehicle
bodily body
bomb release
bone body
border site
born known
bottle drink
bottom along
boundary area between
bow toward
box frame board
boy children
brain either
branch study structure science
brand okta replace inventory
break down
breathing air
breed short
bridge facilitating unified
brief alert
bright cluster deep color
broad short large deep cap
brother identified
brown cap color
build built dependency
building house built
built building build supporting
bush cluster
cache session valid debug log txt validation automatically
cake rich
call called phone link
called call
came after
canada region
canal channel tube
cannot follow exist
capability llm efficient leveraging enhanced integrate model application dynamic
capital site center
carbon containing
card game board
carried transport
carry transport
carrying vehicle
cash finance investment income
cast movie lead genre etc
cat animal
catch stop
category type find criteria filtering option formatted
cattle animal
causing destructive
cavity tube body
celestial star point
cell structure
center site
central region
century known
chair position board
chance success risk
channel message
character write
charge field
chicken food
chief major
chiefly large found
child person
children home
chromatic color
circle point
circuit device
city location cultural format reserve
civil during
claim fact
classical style music
classification order
claude desktop seamlessly enhanced integrate compatible ide powerful
clay material layer
clean remove
climbing cluster
closed stop
cloud command remote cli environment
coarse root
coastal found deep large
coating material cover
coding ide intelligent documentation efficiency cursor assisted interactive
coffee drink
collaboration streamlining streamline task productivity creating workflow feature
collection aggregation
college education
colored large
column defined table keyword sql parameter condition
com url http valid send key
comic entertainment
command execution cli environment docker control
commercial business industry sale
commonly standard
communicate sign
communication sending messaging conversation chat
community social group
compatible cursor desktop claude ide context
complete instead follow
complex solving multi problem reasoning thinking process
component node dependency module
composition music style song
compound containing form
comprehensive analytic tracking real analyzing offering operational data
comprising class order
concern personal
concerned rather branch study science
condition defined column
conduct practice
connect securely postgre secure command
connection postgre instance
consideration critical plan
considered class order
consist form material
consisting material frame
constant calculate initial
constellation star
constituent form element
construction building built supporting structure
content extracting extraction markdown extract pdf google media
context llm dynamic ide compatible claude integrate enhanced resource
continue progress after
contract transfer
control command system
controlled execution
controller session app okta
coordinate latitude longitude map geographic geocoding
copy write
core revolve functionality primarily designed focused retrieving enabling primary
corner face board
corporation share
correct standard method call
corresponding array item inventory add value
count matching pagination maximum match return
court case
cover layer
covered layer
covering layer
cream drink
credit bank payment
crime act
criminal case
criteria rating availability find type category minimum locate
crop destructive
cross line
crowd move
crystal form
crystalline form found containing
cultivated cluster root
cultural concert artist city selected
cup drink
cursor ide compatible coding claude desktop context
curve line
cylindrical tube
daily planning prediction
dance movement music
dancer movement
dancing music popular
danger risk
dangerous risk
dark color large
data real fetching analytic comprehensive api accessing
dataset none index row csv
dead after
deal branch
dealing branch
death after last
deciduous cluster
decision analysis recommendation assessment analyze technical
deck card board
decoration design
decrease change
deeply deep
default optional get maximum return index max per starting
defeated during
defense against
defined column table keyword condition sql parameter
demand job
dense cluster
department government
departure destination ticket seating
deployment environment cli docker infrastructure
deposit bank
description version tag specification ids list define
desert region area
design pattern visual art
designed functionality core revolve focus enabling primarily primary focused
desired indicate selected format rating select
desktop claude seamlessly compatible enhanced cursor integrate powerful
destination ticket seating
detection website stack
determine identifier adriel specify define whether uuid
developer assisted streamlining feature coding documentation hub
development ide coding software dev cursor
device machine
dialect language
die after
died after during
digital internet online reporting technical
dimension height length
directly manage workflow productivity simplify integrating seamlessly natural handling
dirty face
discharge tube release
discipline practice study science
discovered known
discovery research exploration researcher
discussion meeting topic
disease human
disk device
displace move down
distance point speed space calculate
distributed large world region
distribution sample
district country
divide section
divided section
division section class
doctrine practice
documentation doc library coding hub
dog animal short
dollar amount cost payment rate
domain verification dns
domestic animal
don mention
done job
double single
down move
draw pull
drive vehicle car
driven powered server assistant mcp leveraging enhanced integrate
drug trade
dull color
duration period interval per hour
during after last
duty job person
dynamic model llm capability context implementation external leverage
ear short
early known
earth star space
ease desktop seamlessly powerful directly claude client simplify
east region
eastern region
eaten food
economic government policy industry social
economy industry
ecosystem tracking querying platform interacting listing managing suite
edible root large
efficiency coding powered ide assisted intelligent cursor developer
efficient capability powerful leveraging integrate assistant enhancing server
efficiently assistant server mcp enhancing enhanced capability integrate
effort job
effortlessly seamlessly powerful desktop claude integrate enhanced compatible
election meeting
electrical device
electronic device
element form highly containing
emotion strong
employed job
employee job business
empty array either
enable interface simplify seamless integration server standardized assistant interaction
enabling mcp server functionality designed facilitate described focus enhancing
enclosed space shell
end start starting
ending starting none
endpoint superset key param dictionary auth authentication
enemy against
engagement media profile posting marketing comment
engine vehicle air device
english known
enhanced claude integrate capability leveraging llm desktop seamlessly enable
enhancing mcp workflow server integrating enabling feature efficiently leveraging
ensuring validation scenario dependency
entertainment comic online show movie
entity semantic relationship graph
entry filtering indicating filtered whether filter false specify category
environment securely command cli executing deployment secure
equal unit length
equipment device machine
erect cluster
essential source
estate property
estimate calculate evaluate potential total
etc show title
eurasian cluster
europe region world
european world
evaluate estimate assessment
evergreen cluster large
evidence fact
exact full matching obtain
exist okta confirmation
existence human fact
existing create node weaviate label custom update
expected future average
experiment final sample
expert technical
exploration discovery inspection efficiently assistant querying enhanced
explosive engine
express word
expression word term
extending between along
extension filename
external dynamic protocol resource
extract content markdown web
extraction web content browsing scraping
extremely strong
eye face body either
fabric pattern material
facilitate server mcp enabling integration querying interaction focus
fact rather
factor population estimate
fail success
faith practice
fall down after
false whether specify specified entry
family class order
famous known site
fat containing
father identified
feature leveraging enhancing developer task assisted efficient efficiently
federal government
feed destructive animal
feet area
fell down after
female animal
fight against
fill space remove
filter list returned whether specify
filtering search entry category indicate criteria discover
fin body shell found
final initial
finally after stop
finance investment cash income
financial portfolio company investment earning stock
fire air
first second two
fish found shell deep
five sery
fixed frame
flag identifier indicating whether adriel uuid determine
flavored drink
flesh found deep large
fleshy root cluster
float dict int value str
floor building house board
flower cluster
flowering cluster root
fluid body tube air
fly destructive
flying flight
fmp symbol stock portfolio earning
focus designed functionality enabling primary core mcp
focuse particularly providing primarily making primary designed
focused primarily core primary functionality revolve designed described
foliage cluster
follow complete
followed cluster
football sport team player
force power air against
foreign government policy
form element
formal rather meeting
format specified option yyyy date location
formation structure cell
formatted title name specified type optionally category
formed group
forward toward move movement
found containing
four two
fragrant cluster
framework supporting scenario implementation
france country state
francisco location city format reserve
fresh food
freshwater found large
friend person relationship
friendly accessible conversation
front either face
fuel engine
full title txt page matching
function variable value compute
functionality core revolve designed primarily enabling focused focus primary
fund cash bank payment finance income
fungi destructive class cap
fungus cap destructive
fur short
furniture building house
further progress complete
future rate investment period finance
gain strategy risk
garden root
gas air
gather aggregation collection
gathering aggregation linked social collection
gave act
generally flow
genetic cell
genre artist movie concert find song
genus cluster root
geocoding geolocation map latitude geo longitude coordinate
geographic forecast geo accurate weather coordinate
girl children
git repository hub npm
gland cell
glass material
global overview updated
god identified
google content bot hub media comment searching
government policy
grade level
grain destructive
grant permission
grass root region
greater weight
greek identified
green deep cluster
greenish cluster
grey color
group organization social
growing root cluster
grown root
growth cell population
guard against
guest room home
habit practice
hair short
hairy cluster large
hand face move
handle pull
handling management interact workflow automate managing creating interaction allowing
happening event concert
having large cluster
head short
header http param auth proxy
heavy strong
height weight base
held place
hemisphere region large
herb cluster root
highest level
highly element
hindu identified
hollow tube
horizontal frame line board
hormone cell
horn animal
horse animal
hour date yyyy duration location
html text markdown pdf page save
http proxy auth url wait com
hub git repository documentation google developer comment
human animal
husband relationship
ice drink
ideal aspect
identifier uuid adriel status setting
identify compare
ids list pagination description info matching
illegal act
immediate follow complete
immediately verify wait
impact potential
implement handle
implementation framework setup dynamic python context
improve maintaining gemini multi
inactive active uuid
inch height weight unit length
included uuid adriel whether identifier
income cash finance
independent government
index default size dataset limit optional get none
indicate desired filtering
indicating whether entry identifier optionally filtered
indie large
industrial site center
industry business
infant children
influence power
initial final calculate rate
inner either body structure
input parse output json automatically
insect animal destructive
inside space
instead automatically complete txt follow single
institution education educational
instruction course
instrument tube
integer starting value selected
integrate seamlessly leveraging enhanced powerful claude capability llm seamless
integrated needing reliable accessible llm processing apis application
integrating workflow seamless management productivity enhancing interact interface
integration seamless interface enable interaction server standardized simplify
intellectual art rather
intelligence threat security reporting
intelligent coding leverage effectively tailored leveraging
intended act
intense strong
interact management handling integrating workflow managing integration
interacting listing programmatic managing platform ecosystem management querying
interaction integration seamless enable simplify server mcp
interest rate
interface enable integration simplify seamless standardized integrating
interior building space
internal either branch engine
international origin
interval sery duration
introduced world
investment finance cash financial
involve requiring solve tailored
involved activity
involving activity
iron lead form element
italian known
japanese world
java script testing python debug navigate
john origin
join link
journey route destination
json string file input path parse
judge case
judgment critical
juice drink
jump move
keyword defined column table query record parameter
label create update add existing instance delete tag
labor job
lacking quality personality
lake flow along
land area
larger section
largest site
larvae destructive
last after season during
later known during
latitude longitude coordinate geocoding
layer cover material
league stat team season ranking statistic sport
least complete follow
leave cluster root
led during
left either face
leg short body
len photography
letter character write word
leverage advanced model tailored intelligent capability customizable
leveraging powered capability integrate feature enhanced efficient enhancing
library documentation doc snippet code search
lie face position either
lift move
likely utility appear
limb body
limit max pagination paginated get index
line cross point section
linguistic word
link cached meta call automatically
linked profile gathering
literary author character
lived live known
living live animal found
llm capability dynamic context model integrate enhanced application
loan bank payment
lobe either
local cloudflare remote upload file
london location country city
longitude latitude coordinate
looked face
los ticket destination seating preferred yyyy
lose change
lost after
loud make
love person
low deep
lower either
lying toward
made strong
magnetic field
mainly found
maintain memory
maker make
making particularly focuse providing specialized requiring retrieval primary specializ
mammal animal human
man person
manage directly natural productivity crud updating
management allowing interact updating handling integrating workflow
manager infrastructure command cli
managing updating interacting listing allowing creating deleting platform
manipulate powerful directly workflow integrate seamlessly leveraging
manipulation enhancing workflow handling interaction seamless efficient
manual cloudflare automated
margin cap
marine shell found body large
mark sign
markdown pdf html download content text extract
marked face
marking color
marriage relationship
married relationship person
mass weight
match score count name
matching pagination ids maximum reference
material layer
mathematic math
mathematical calculation
matter fact rather
max limit get maximum default pagination return summary
maximum optional return default pagination matching max
mcp server enabling enhancing facilitate integration efficiently application designed
measure unit weight
measured distance calculate
measurement unit temperature
meat food
mechanical device machine engine
mechanism engine machine device vehicle
media video online content twitter engagement google
medication trade
mediterranean region
medium large
member group community social
membrane cell layer body
metadata download pub semantic search
metal lead material element
metallic element lead
meter distance calculate height
method test variable
mexico region
mile distance area speed
milk drink
mineral element form lead
minimum rating average criteria starting size desired
minor major
minute duration
mixed drink
mode target output debug script
model dynamic leverage customizable llm capability leveraging prompt advanced
modern art
money payment amount cost
monitoring infrastructure operational tracking suite
moon star
moral practice
mostly large
moth destructive
mother children
motion movement move
motor vehicle engine car drive
mouth either
move down
moved move movement toward
moving move movement speed
multi complex solving thinking gemini
muscle body either
musical song
musician song
mythology identified
name formatted list type retrieve info title filter
named defined column table parameter sql execute keyword
narrow along
nation government
national government
native region
natural manage management directly conversational handling interact
naturalized cluster
nature rather human
near center site
nerve either
net income
network token address wallet
night home last
node figma existing component
noise make
non array optionally otherwise integer
north region
northern region
northwestern site
noted known
novel author character
num integer
numerous large
obligation payment
obtain cache snippet
obtained highly containing
occasion meeting
occur lead element form found highly
occurrence event
occurring form sery
ocean along
odor strong
off along stop
offering analyzing comprehensive analysis valuable analytic specialized real
office public
official public
offset pagination paginated maximum matching limit
once complete last after
opening tube either
operate machine engine control
operating machine stop
operation crud manage executing deleting connector management
opinion view fact
opponent against
opposed rather
opposite reverse toward face
opposition against
optional default return maximum arg string str array parameter
orange cluster
orchid cluster large
ore element lead
organism cell
organized group
original replace character representation
ornamental cluster
outcome success
outer layer body cover
output file path directory input debug json
outside space toward
owner property
pacific found
package npm version module doc snippet kubernete
pagination limit ids matching list
paid fee payment cost
paint cover apply
painter art
painting art
pair supported
pale color cluster
parallel line cross
parameter string superset optional value column str dictionary
parasitic destructive animal human
parent children person relationship
paris hotel location country city
park area
particularly making specialized focuse specializ providing focused primarily primary
party government social
pass along
passage tube
past period history future
path directory file filename output
patient health
pattern design trace
pay payment
people group community
per calculate ratio duration total percentage default
percentage total ratio rate per amount
perennial cluster
perfect complete ideal
performance analyze analyst track trend reporting strategy
performing align media
period duration future
permission admin configured mapping valid
personal social rather
pertaining human
philosophy rather
phone call message controller contact
phrase word expression definition
piece board material
pigment color
pink cluster
pipe tube
plant root cluster
plastic material
plate frame
platform ecosystem interacting listing managing interact management programmatic querying
playwright screenshot browser navigate capture
point distance line two
pointed short
poisonous root highly
pole point line
policy government organization created
political government social policy
politician government
popular music
port site center
portion section
positive integer desired
possession property
potential risk compare estimate ratio
pound weight unit
powered leveraging assisted driven creation tailored automated efficiency
powerful seamlessly integrate efficient claude enhanced capability assistant
practical science rather
precise accurate reliable solve
preferred option seating destination restaurant ticket find
preparation instruction course plan
prepare instruction plan
prepared food
president government
pressure air
prevent block
previous session progress
primarily focused revolve core functionality retrieving focuse designed
primary focused providing focuse core designed functionality focus described
primitive found
principal interest
principle practice rather science
print photography
printed paper
printing paper
private public account initiate contact
probability success
problem solving thinking approach reasoning complex
procedure practice
process complex problem solving
processing specializ advanced tailored customizable
productivity streamline workspace creating integrating manage updating
profile post dashboard twitter archive
profit gain cost sale
progress pro
project jira update create
prompt generation generating customizable template
proper follow standard requirement
protect cover
protection cover against
protective cover
protein cell
protocol client standardized enable resource simplify application
provider review rating availability criteria indicating whether
providing retrieval primary focuse making particularly core accessing revolve
public official government
publication paper article author
purple cluster
purplish cluster
push drive move
python dependency script docker execution setup
quantity item
raceme cluster
radical group
radioactive element
random sample
rank position
ranking league statistic stat
rapid fast movement
rapidly fast movement
rare lead element found
rather fact
ratio percentage total per compare potential calculate
ready instruction
real data fetching comprehensive analytic
reasoning solving thinking problem
red color
reddish color cluster
refer mention
reference matching snippet
regard person
region world
regular interval sery standard schedule
relating human rather study
relation term
relationship entity
relative object
relatively short
reliable precise integrated accurate requiring
religion practice
religious practice
remain after
remark critical
remembered known
remote local docker command cloudflare
replace okta brand
report metric informed analyst analyze stay intelligence
represent integer
represented value
representing value array integer
requiring solve making structured processing versatile involve specializ
resemble large
resembling large
reserve hotel format yyyy
resident live home
resistance against
resource standardized integration interface enable seamless simplify protocol context
response valid verify specifying com
responsibility act person
responsible government
retrieval providing accessing core revolve functionality primarily primary
return arg optional str maximum redis string default
returned specify filter filtered list
revolution during
revolve core functionality primarily designed retrieving focused retrieval providing
ride car travel vehicle
rise flow
risk potential assessment gain
river flow site
road along down car traffic
robust support powerful handling manipulation efficient conversational simplify
rock form layer found
rocky plain
roof building built
room house hotel
root cluster
rose cluster
rubber material
rule standard
russian known
safe securely secure execution python logging
safety safe security
sail along
sale business product
salt found containing
sample standard random test
san location city format reserve hotel
sand layer
scene representation
schema database sql postgre execute query
scheme plan
school education course art
science study branch
scientific study
scope level
score league stat player team
scraping web browser extraction browsing
screen device
sea along
seamless integration simplify interface enable integrating interaction standardized integrate
seamlessly integrate powerful claude simplify desktop enable
season league stat team score sport last
second first calculate
section line
secure environment executing safe connect cli
securely safe environment connect execution
security intelligence compliance monitor
seed root
seek organization group
seem fact rather
seen view
select desired option
selected integer desired specified format option
self personal rather
sell sale buy store
selling sale business
semantic entity metadata
sent send address auth
sentence word
separated single
sequence sery random
service user
sery interval
session cache verification controller
setup template python implementation deployment cloudflare desktop
sex person
sexual relationship person
shade color
shallow along deep found
shape form
shaped cluster
sharp strong
sheep animal human
ship along
shoe cover
showy cluster
shrub cluster
shrubby cluster
side either face
sight view
signal device
simplify seamless enable interface seamlessly integration interaction integrate interact
singer song music
single instead
situated center toward
size minimum index average
sized large
skill job
skin body
slender large short cluster
slightly color cap
slow movement fast progress
smile expression face
smoke air
smooth cap
snake large found
social community group activity personal
society social community
software issue development dev developer streamlining assisted
sold sale store
soldier during
solid form material
solitary cluster
solve requiring precise advanced structured
solving thinking problem complex reasoning multi approach
sometime root cluster
somewhat large
son identified
sort paginated pagination list
soup food
source essential
south region
southeastern region
southern region
southwestern region
space distance
special instruction job
specializ processing particularly making extracting additionally
specialized particularly accessing making providing retrieval analyzing focuse
specification description uuid identifier ids
specified format formatted location yyyy option date
specify whether filtered returned filter optional false array
specy population animal
speed distance
spike cluster
spiny large cluster
spoken language word
spore cap
sport fitness game team league
spreading cluster
sql execute database table schema query column defined
square length calculate two
stalk cap root
stand position
standard rule sample
standardized protocol application interface integration enable seamless resource simplify
standing position
stat statistic league player season
station schedule traffic
status identifier associated list
steam engine air
stem cluster root
stiff short strong
stimulate activity
stomach either
stone layer material
storage sharing upload
story comic character author known
str int arg return redis dict optional csv parameter
straight line cross
strategy assessment gain technical optimization analyst performance overview
streamline workflow productivity automate task collaboration integrating enhancing
street house place
strength power
string json valid parameter dictionary return optional arg
strip material
structure supporting branch
structured gemini advanced requiring multi
student education course instruction educational academic
style art music
subject study
subshrub cluster
substance material
suddenly down move
sugar drink containing
suit card
sum total calculator calculate two compute
sun star
supply either
support enhanced versatile feature model emphasiz framework
supported pair
supporting structure framework built
surface layer material cover
surgical body
surrounding layer
syllable word
symbol ticker fmp stock market portfolio
system infrastructure control
tag description config configured ids version label
tail short large
tailored advanced leverage visualization processing intelligent generating powered leveraging
taking act
tall cluster large
target convert mode
taste strong
tax cost income payment
team player league sport game
technical assessment analysis strategy
technique method art
technology science industry
temperate region large world
template upload setup create prompt
tennis player
term expression
terminal cluster
terrestrial large world
terrorist organization group
text html pdf document markdown filename audio
theater movie show concert entertainment play
theory science study
thin layer
thinking solving problem reasoning approach thought
third first second
thought thinking approach
three two base
throughout world region
timeout wait http proxy
timestamp paginated get ids
tinged color cluster
tissue cell body
title formatted search full name category etc
took course after
topic summary finding
total percentage ratio sum calculate estimate per income
toward move
town site center
toxic highly
trading market cryptocurrency crypto exchange quote
traditional practice rather
traffic transportation map
trait personality
transfer contract
transmitted human
transport vehicle
transportation traffic route travel
treat trade
tree large
trend informed historical analyst fmp
trial sample
tropical large
trust person
truth fact
tumor cell
turn toward move reverse
turned face toward reverse
two between point sum
type category criteria option name formatted optionally filtered selected
understanding gemini problem approach
unit length
united state world
university education
until after during
upper either
upward toward move
usage dependency compliance component
user listing allowing querying service jira managing
username credential login authentication
utility accessible likely integrated emphasiz
utilize leverage intelligent compatible tailored claude
valuable offering researcher analyzing
value function integer compute
variable function method value
vector compute
vegetable food
vein either empty
velocity speed initial final object
vena either empty
verb word
verse author
version description package updated tag uuid npm
vertebrate body animal human
vertical frame line
vessel tube body
victim person
vine root
violet cluster
virtue quality person
virus human cell
visible star photography
vision view
visit schedule meeting
volume metric
vote meeting
wait http proxy specifying
walk move
wall building structure
war during world
warm large deep found
warning alert risk
water found along air
weight height
went down home
western region
wheel vehicle machine drive car engine frame
whether indicating false specify optionally filtered entry
white cluster
whom initiate
whose role known
wide extensive
widely root
wife identified relationship
win success
wind air
window frame
wine drink
winter region
woman person children
wooden board frame
woody cluster root
worked job
worker job
workflow streamline integrating enhancing management automate interact productivity handling
workspace productivity updating deleting manage
world region
written write character
yellow cluster
york location city reserve format hotel
young children
yourself act
yyyy date format start option hour ticket specified
zealand large
zero sum calculate initial second
zia zpa read admin app plugin zdx
`;
