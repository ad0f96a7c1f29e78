"""Labelled pairs of statements, an older and a newer one: what the newer one is to the older one.

`label | older | newer`. Labels: replaces (the older one is out of date), part (some of its sentences are), contradicts
(doubtful: only to be flagged), same, refines, unrelated. `@Name:` in front says who speaks, in a group; `assistant:`
that the assistant does; otherwise one person speaks in a direct chat. All of it is made up.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from memory_core.claims.statement import Statement
from memory_core.values import Origin

_PAIRS = """
replaces | I live in Porto | I moved to Lisbon
replaces | I live in Porto. | I live in Lisbon now.
replaces | I live in Porto near the river | We moved! I live in Braga now
replaces | i live in hamburg | i moved to berlin last month
replaces | I'm based in Seattle | I relocated to Boston for work
replaces | I've lived in Madrid since 2015 | I recently moved from Madrid to Valencia
replaces | My sister Marta lives in Porto | My sister Marta moved to Lisbon
replaces | My sister Marta lives in Porto | Marta lives in Lisbon now
replaces | My mother lives in Graz | My mother moved to Vienna in spring
replaces | My brother lives in Oslo | My brother lives in Bergen now
replaces | Marta lives in Ghent | Marta moved to Antwerp
replaces | The user lives in Porto | The user moved to Lisbon
replaces | Ana lives in Porto | I moved to Lisbon two weeks ago
replaces | We live in Leeds | We live in York now
replaces | Ich wohne in Köln | Ich wohne jetzt in Berlin
replaces | Ich wohne in Hamburg | Ich bin nach Leipzig gezogen
replaces | Vivo en Sevilla | Ahora vivo en Madrid
replaces | Vivo en Valencia | Me mudé a Barcelona
replaces | I work at Acme | I work at Globex now
replaces | I work for Initech | I started working at Hooli last week
replaces | I work at Hooli as a designer | I left Hooli
replaces | I work at Siemens | I quit Siemens in March
replaces | I work at Acme | I got a new job at Umbrella
replaces | Bo works at Acme | Bo works for Vandelay now
replaces | My wife works at Novo | My wife started working at Philips
replaces | Ich arbeite bei Bosch | Ich arbeite jetzt bei Miele
replaces | Trabajo en Telefonica | Ahora trabajo en Iberdrola
replaces | I work as a nurse | I work as a teacher now
replaces | I'm a developer | I became a teacher
replaces | My birthday is May 3 | Actually, my birthday is May 4
replaces | Marta's birthday is on 3 May | Sorry, Marta's birthday is on 4 May
replaces | My birthday is 12 June | Correction: my birthday is on 13 June
replaces | My son Leo is 5 years old | My son Leo is 6 years old
replaces | I am 34 | I turned 35
replaces | I'm single | I got married
replaces | I'm married | I'm divorced now
replaces | I'm vegetarian | I'm vegan now
replaces | I am a vegan | I'm no longer vegan
replaces | Ich bin Vegetarier | Ich bin jetzt Veganer
replaces | My favourite colour is blue | My favourite colour is green now
replaces | My favorite band is Low | My favourite band is Wilco
replaces | My favourite editor is Vim | My new favourite editor is Helix
replaces | We use Redis for caching | We dropped Redis for Postgres
replaces | We use Redis | We switched from Redis to Valkey
replaces | We use Jenkins for CI | We replaced Jenkins with Buildkite
replaces | We run Kafka in production | We migrated from Kafka to NATS
replaces | Our database is MySQL | Our database is Postgres now
replaces | Our database is MySQL | We migrated from MySQL to Postgres
replaces | I use Vim | I switched from Vim to Emacs
replaces | I use Vim for everything | I use Emacs instead of Vim now
replaces | I use Notion for my notes | I no longer use Notion
replaces | I use Slack | I don't use Slack anymore
replaces | We decided on GraphQL for the API | We dropped GraphQL in favour of REST
replaces | We chose Terraform | We moved away from Terraform to Pulumi
replaces | The team uses Jira | The team replaced Jira with Linear
replaces | Wir verwenden Oracle | Wir haben Oracle durch Postgres ersetzt
replaces | Usamos Jenkins | Cambiamos Jenkins por Buildkite
replaces | I drink coffee every morning | I stopped drinking coffee
replaces | I drink coffee | I drink tea instead of coffee now
replaces | I smoke cigarettes | I quit smoking cigarettes
replaces | I eat meat | I don't eat meat anymore
replaces | I don't eat meat | I eat meat again
replaces | I like olives | I no longer like olives
replaces | I like coffee | I don't like coffee any more
replaces | I don't like olives | I like olives now
replaces | I hate running | I actually like running now
replaces | I drive a Fiat | I sold my Fiat
replaces | I have a motorbike | I sold my motorbike
replaces | I pay for Netflix | I cancelled Netflix
replaces | I subscribe to Spotify | I cancelled Spotify last week
replaces | I play the cello | I gave up the cello
replaces | I'm allergic to nuts | It turns out I'm not allergic to nuts
replaces | The port is 5432 | The port is 5433 now
replaces | The staging port is 8080 | The staging port is 8081
replaces | The port of the staging server is 8080 | The port of the staging server is 9090 now
replaces | The API server runs on port 3000 | The API server runs on port 3100 now
replaces | The deadline is Friday | The deadline has been moved to Monday
replaces | The project deadline is May 3 | The project deadline is May 10
replaces | The meeting is on Thursday | The meeting is on Friday now
replaces | The meeting is on Thursday | Actually, the meeting is on Friday
replaces | The budget meeting is on Thursday at 10 | The budget meeting is on Thursday at 11
replaces | The meeting with Bo is on Tuesday | We moved the meeting with Bo to Wednesday
replaces | The demo is on Monday | We postponed the demo to Thursday
replaces | My dentist appointment is on Monday | I rescheduled my dentist appointment to Wednesday
replaces | My flight leaves at 9:40 | My flight leaves at 10:15 now
replaces | Our standup is at 9:30 | Our standup is at 10:00 now
replaces | The Python version is 3.11 | We upgraded the Python version to 3.12
replaces | The current version is 2.3.1 | The current version is 2.4.0
replaces | The rent is $900 | The rent is $950 now
replaces | The project budget is 20,000 euros | We raised the project budget to 25,000 euros
replaces | The request timeout is 30 seconds | We changed the request timeout to 60 seconds
replaces | Our retry limit is 3 | Our retry limit is 5 now
replaces | The default branch is master | We renamed the default branch to main_line
replaces | My landlord is called Frank | Actually my landlord is called Fritz
replaces | My wife's name is Anna | Sorry, my wife's name is Hanna
replaces | Our team lead is Bo | Our team lead is Chidi now
replaces | My dentist is Doctor Okafor | My dentist is Doctor Lindqvist now
replaces | The launch is on 12 May | The launch has been moved to 19 May
replaces | @Ana: I live in Porto | @Ana: I moved to Lisbon
replaces | @Ana: we use Redis | @Ana: we dropped Redis for Valkey
replaces | assistant: The meeting is on Tuesday | No, the meeting is on Thursday
replaces | I work at Acme | I joined Globex as a designer
replaces | Our office is in Porto and we use Redis | Our office is in Braga and we dropped Redis for Valkey
part | I live in Porto and my sister lives in Braga. | I moved to Lisbon.
part | We use Redis for caching. The staging port is 8080. | We dropped Redis for Valkey.
part | The demo is on Monday. Bo brings the cake. | We moved the demo to Tuesday.
part | My name is on the list for the choir. I work at Acme. | I work at Globex now.
part | I have two kids in school. I live in Leeds. | I moved to York last month.
part | I'm vegetarian and I play the cello. | I'm vegan now.
part | Our database is MySQL. The backups run at night. | Our database is Postgres now.
contradicts | I live in Porto with my wife Marta and work at Acme | I live in Lisbon now
contradicts | I like coffee | I don't like coffee
contradicts | I love cilantro | I hate cilantro
contradicts | My birthday is May 3 | My birthday is May 4
contradicts | Marta's birthday is 3 May | Marta's birthday is 8 June
contradicts | My sister lives in Porto | My sister Marta moved to Lisbon
contradicts | The staging port is 8080 | The port is 9090 now
contradicts | I live in Porto | I think I live in Lisbon now
contradicts | We use Redis and Kafka | We dropped Redis for Valkey
contradicts | @Ana: The meeting is on Thursday | @Bo: The meeting is on Friday now
contradicts | The meeting is on Thursday | assistant: The meeting is on Friday.
contradicts | I'm allergic to nuts | I'm not allergic to nuts
contradicts | The port is 5432 | The port is 5433
contradicts | I live in Porto | I moved to Zenithia
contradicts | My wife's name is Anna | My wife's name is Hanna
contradicts | I drink milk | I don't drink milk
contradicts | I'm a nurse | I'm a teacher
contradicts | @Ana: We use Redis | @Bo: We dropped Redis for Valkey
contradicts | I eat fish | I don't eat fish
contradicts | @Ana: Marta lives in Porto | @Bo: Marta lives in Lisbon now
same | I live in Porto | I live in Porto.
same | I live in Porto | Oh, I live in Porto!
same | I'm allergic to peanuts | I am allergic to peanuts
same | My sister Marta lives in Porto. | my sister Marta lives in Porto
same | I really like the green tea | I like green tea
same | My favourite colour is blue | My favorite color is blue
same | I don't eat meat | I do not eat meat
same | Yesterday I met Bo | I met Bo yesterday
same | The meeting is on Thursday at 10 | the meeting is on Thursday at 10!
same | I live in Porto | I'm based in Porto
same | We use Redis for caching | We use Redis for caching, btw
same | My dog's name is Rufus | My dog's name is Rufus
same | I work at Acme | I am working at Acme
same | The port is 5432 | Well, the port is 5432
same | Ich wohne in Köln | ich wohne in Köln!
same | I can't stand olives | I cannot stand olives
refines | I work at Acme | I work at Acme in Lisbon as a designer
refines | I live in Porto | I live in Porto near the river
refines | My sister Marta lives in Porto | My sister Marta lives in Porto with her two cats
refines | We use Redis for caching | We use Redis for caching because it is fast
refines | I play the cello | I play the cello in the city orchestra
refines | I bought a red bike | I bought a red bike from Bo
unrelated | I live in Porto | I visited Lisbon last week
unrelated | I live in Porto | I love Lisbon
unrelated | I live in Porto | I'm flying to Lisbon on Monday
unrelated | I live in Porto | I will move to Lisbon next year
unrelated | I live in Porto | I want to live in Lisbon
unrelated | I live in Porto | I might move to Lisbon
unrelated | I live in Porto | I would live in Lisbon if I could
unrelated | I live in Porto | Should I move to Lisbon?
unrelated | I live in Porto | I used to live in Lisbon
unrelated | I live in Porto | When I was a kid I lived in Lisbon
unrelated | I live in Porto | My sister lives in Lisbon
unrelated | I live in Porto | Bo moved to Lisbon
unrelated | I live in Porto | Bo said I live in Lisbon now
unrelated | I live in Porto | In my novel I live in Lisbon
unrelated | I live in Porto | I moved to the sofa
unrelated | I live in Porto | I stay in Lisbon for a week
unrelated | I live in Porto | The train to Lisbon was late
unrelated | I live in Porto | I live in a small flat
unrelated | I live in Porto | I live in fear of spiders
unrelated | I live in Porto | I also live in Lisbon in summer
unrelated | I live in Porto | My company moved to Lisbon
unrelated | I live in Porto | I miss Lisbon now
unrelated | I live in Porto | "I moved to Lisbon"
unrelated | I live in Porto | We had dinner in Lisbon and it was great
unrelated | I live in Porto | I now work with people from Lisbon
unrelated | My friend Marta lives in Porto | My cousin Marta moved to Lisbon
unrelated | Marta Silva lives in Porto | Marta Costa lives in Lisbon now
unrelated | @Ana: I live in Porto | @Bo: I moved to Lisbon
unrelated | @Ana: My sister lives in Porto | @Bo: My sister lives in Lisbon now
unrelated | @Ana: My birthday is May 3 | @Bo: My birthday is May 4
unrelated | @Ana: I'm vegan | @Bo: I'm no longer vegan
unrelated | @Ana: I like olives | @Bo: I don't like olives
unrelated | @Ana: I work at Acme | @Bo: I work at Globex now
unrelated | @Ana: My dog's name is Rufus | @Bo: Actually my dog's name is Bella
unrelated | I work at Acme | I met someone who works at Globex
unrelated | I work at Acme | I applied for a job at Globex
unrelated | I work at Acme | I also work at a bakery on weekends
unrelated | I work at Acme | I have an interview at Globex on Monday
unrelated | I work at Acme | I joined the gym
unrelated | I work at Acme | My brother works at Globex now
unrelated | I work at Acme | I work at night now
unrelated | I work at Acme | I work from home now
unrelated | I work at Acme | I left Lisbon on Monday
unrelated | I like coffee | I like tea
unrelated | I like coffee | I like tea now
unrelated | I like coffee | I don't like cold coffee
unrelated | I like coffee | I had coffee with Bo
unrelated | I like coffee | Bo doesn't like coffee any more
unrelated | I like coffee | I'd like a coffee now
unrelated | I like green tea | I don't like black tea
unrelated | I like Lisbon | I don't like Porto
unrelated | I like the new logo | I don't like the new font
unrelated | I love hiking | I love swimming now
unrelated | My favourite colour is blue | My favourite band is Wilco now
unrelated | My favourite colour is blue | Bo's favourite colour is green
unrelated | My favourite colour is blue | One of my favourite colours is green
unrelated | My favourite colour is blue | I painted the wall green
unrelated | My dog's name is Rufus | My cat's name is Bella
unrelated | My dog is called Rufus | My dog is called Bella
unrelated | My sister Marta lives in Porto | My sister Ines lives in Braga now
unrelated | I have a dog | I have a cat now
unrelated | I have two kids | I have a car
unrelated | I drive a Fiat | I rented a Volvo last weekend
unrelated | I drive a Fiat | I drive a truck at work now
unrelated | We use Redis | We use Postgres now
unrelated | We use Redis | We talked about dropping Redis
unrelated | We use Redis | We should drop Redis for Postgres
unrelated | We use Redis | We are thinking about moving from Redis to Valkey
unrelated | We use Redis | Redis released a new version
unrelated | We use Redis for caching | Bo's team dropped Redis for Valkey
unrelated | We use Redis | What if we replaced Redis with Valkey?
unrelated | We use Redis | If we dropped Redis for Valkey we would save money
unrelated | We use Redis for caching | I use Valkey at home now
unrelated | I use Redis at home | We dropped Redis for Postgres
unrelated | I use Vim | I use Docker now
unrelated | I use Vim | I moved to Emacs keybindings in my shell
unrelated | I use Python for scripts | I use Rust for games now
unrelated | We discussed Redis in the meeting | We dropped Redis for Postgres
unrelated | Redis was written in Italy | We dropped Redis for Postgres
unrelated | The port is 5432 | The wine is from Porto now
unrelated | The staging port is 8080 | The production port is 9090 now
unrelated | The API server runs on port 3000 | The web server runs on port 3100 now
unrelated | The staging port is 8080 | Is the staging port 9090 now?
unrelated | The staging port is 8080 | The staging port should be 9090
unrelated | The meeting is on Thursday | The party is on Friday now
unrelated | The meeting with Bo is on Thursday | The meeting with Chidi is on Friday now
unrelated | The meeting is on Thursday | The meeting was boring
unrelated | The meeting is on Thursday | The meeting is in room 4 now
unrelated | The meeting is on Thursday | The meeting is at 10
unrelated | The meeting is on Thursday | If the meeting is on Friday now I can't come
unrelated | The meeting is on Thursday | The next meeting is on Friday
unrelated | The meeting is on Thursday | I am free on Friday now
unrelated | The deadline is Friday | Bo's deadline is Monday now
unrelated | The project deadline is May 3 | The report deadline is May 10
unrelated | My dentist appointment is on Monday | My eye appointment is on Wednesday
unrelated | My flight leaves at 9:40 | Bo's flight leaves at 10:15 now
unrelated | My flight leaves at 9:40 | My train leaves at 10:15 now
unrelated | The rent is $900 | The internet is $50 now
unrelated | The rent is $900 | The rent is due on Friday
unrelated | The request timeout is 30 seconds | The build took 60 seconds
unrelated | The Python version is 3.11 | The Node version is 22.1 now
unrelated | The version is 2.3.1 | I upgraded my phone to version 18
unrelated | I am 34 | Bo is 35 now
unrelated | I am 34 | I am 35 minutes late
unrelated | My son Leo is 5 years old | My daughter Mia is 6 years old
unrelated | I'm married | My brother got divorced
unrelated | I'm vegan | I went to a vegetarian restaurant
unrelated | I'm vegan | My wife is no longer vegan
unrelated | I'm vegetarian | I cooked vegan food today
unrelated | I'm a nurse | I'm a mother now
unrelated | I'm a nurse | I'm a fan of Wilco now
unrelated | I'm allergic to nuts | I'm also allergic to pollen now
unrelated | I'm allergic to nuts | Bo isn't allergic to nuts
unrelated | I play the cello | I played the piano yesterday
unrelated | I play the cello | I sold my piano
unrelated | I speak Portuguese | I'm learning Spanish now
unrelated | I bought a bike for 300 euros | I bought a bike for 500 euros
unrelated | I went running today (1 May 2026) | I went running today (2 May 2026)
unrelated | Ana met Bo in Porto | Bo met Ana in Porto
unrelated | The dog chased the cat | The cat chased the dog
unrelated | I like tea | I like tea cakes
unrelated | I will call Bo | I will call Bo if it rains
unrelated | I fly from Porto to Lisbon | I fly from Lisbon to Porto
unrelated | I owe Bo 5 euros | I owe Bo 50 euros
unrelated | Marta called Ines | Ines called Marta
unrelated | I met Bo before lunch | I met Bo after lunch
unrelated | I like working with Bo | I like working for Bo
unrelated | I live in Porto | Do I live in Porto?
unrelated | I should buy milk | I bought milk
unrelated | Ich wohne in Köln | Ich fahre morgen nach Berlin
unrelated | Ich wohne in Köln | Meine Schwester wohnt jetzt in Berlin
unrelated | Vivo en Sevilla | Mi hermana vive ahora en Madrid
unrelated | Vivo en Sevilla | Voy a Madrid el lunes
unrelated | I live in Porto | assistant: You live in Lisbon now.
unrelated | I decided to sell the red Fiat in spring | I drive a blue Volvo now
unrelated | Our server is in Frankfurt | Our customer is in Munich now
unrelated | Bo is the owner of the repo | Chidi is on the call now
unrelated | My boss is on holiday | My boss is back now
unrelated | We moved the sofa to the attic | We moved the piano to the cellar
unrelated | The key is under the mat | The key question is who pays now
unrelated | I work as a nurse | I volunteer as a teacher on weekends
unrelated | Our office is in Porto | I moved to Lisbon
unrelated | I have a meeting on Thursday | I have a meeting on Friday
unrelated | Another meeting is on Thursday | The first meeting is on Friday now
contradicts | I live in a small flat in Utrecht | We finally moved to Rotterdam in June
contradicts | I live in Bristol with two cats | I've moved to Cardiff
replaces | My parents live in Malaga | My parents have moved to Granada
replaces | I'm living in Dublin at the moment | I live in Cork these days
replaces | I work for the city of Ghent as a planner | I work for Arup now
replaces | I'm working at Nokia | I've just started at Ericsson
replaces | My daughter Ida is 3 | Ida turned 4 yesterday
replaces | I'm engaged to Tom | I got married to Tom in May
replaces | My favourite restaurant is Taberna Moderna | My favourite restaurant is now Cervejaria Ramiro
replaces | We deploy with Ansible | We no longer deploy with Ansible
replaces | We use Trello to plan sprints | We moved from Trello to Linear last sprint
replaces | I take the bus to work | I stopped taking the bus
replaces | The wedding is on 14 June | The wedding has been postponed to 20 September
replaces | My interview is on Tuesday at 2pm | My interview was moved to Thursday at 3pm
replaces | The team offsite is in Porto | The team offsite is in Lisbon now
replaces | The release is planned for May 5 | The release is planned for May 12 now
replaces | Our server listens on port 9000 | Our server listens on port 9100 now
replaces | My gym is Holmes Place | My gym is Solinca now
replaces | I drive a Toyota | I drive a Tesla now, I sold the Toyota
replaces | The monthly budget is 300 euros | The monthly budget is 350 euros from now on
replaces | I can't eat gluten | I can eat gluten again
replaces | I prefer tabs | I prefer spaces now
replaces | My phone is a Pixel 7 | My phone is a Fairphone 5 now
replaces | The wifi name is HomeNet | We renamed the wifi to BirdHouse
replaces | Bo is our project manager | Chidi is our project manager now
replaces | I go to bed at 11 | I go to bed at 10 now
replaces | I study law | I switched from law to medicine
replaces | The gate is B12 | The gate changed to C4
unrelated | I live in Bristol | Cardiff is where my brother moved to
unrelated | I live in Bristol | I moved my savings to Barclays
unrelated | I live in Bristol | I'm in London now
contradicts | I live in Bristol | I moved to London Street
unrelated | I live in Bristol | We moved to Friday
unrelated | I live in Bristol | Yesterday I moved to row twelve at the cinema
contradicts | I live in Bristol | I moved to Boston Dynamics' new robot team
unrelated | I live in Bristol | I dream about living in Rome now
unrelated | I live in Bristol | My new flatmate lived in Rome
unrelated | We live in Bristol | My parents live in Bath now
unrelated | I work at Nokia | I worked at Ericsson during university
unrelated | I work at Nokia | I work at my desk now
unrelated | I work at Nokia | I'm working for Bo's charity run now
contradicts | I work at Nokia | I work for Anna, my manager, now
unrelated | I use Python | I use Python at work now
unrelated | I use Firefox | I use Chrome at work now
unrelated | I like my job | I don't like my job title
unrelated | I like jazz | I don't like jazz clubs any more
unrelated | I like swimming in the sea | I no longer like swimming in pools
unrelated | I have a cat | I don't have a cat flap any more
unrelated | I eat fish on Fridays | I no longer eat fish and chips
unrelated | I have a sister | I no longer have a sister-in-law
unrelated | I drink coffee in the morning | I no longer drink coffee in the evening
unrelated | I play football on Tuesdays | I stopped playing football on Thursdays
unrelated | I take vitamin D | I no longer take vitamin C
unrelated | We use Redis in production | We no longer use Redis in staging
unrelated | We use Redis for sessions | We dropped Redis from the test suite
unrelated | I go to the gym on Monday | I no longer go to the gym on Friday
contradicts | The meeting with Anna is on Monday | We moved the meeting to Tuesday
unrelated | The standup on Mondays is at 9 | The standup on Fridays is at 10 now
unrelated | The train to Porto leaves at 9:00 | The train to Braga leaves at 9:30 now
unrelated | The train leaves at 9:00 | The train arrives at 12:30 now
unrelated | The office opens at 8 | The office closes at 18 now
unrelated | The rent for the flat is $900 | The rent for the garage is $90 now
unrelated | My flight to Oslo is on Monday | My flight back is on Friday now
unrelated | The price of the bike is 300 euros | The price of the helmet is 60 euros now
unrelated | The limit for uploads is 5 MB | The limit for downloads is 50 MB now
unrelated | The max retry limit is 3 | The min retry limit is 1 now
unrelated | I sold my Toyota | I bought a Toyota
unrelated | I have a red bike | I sold my blue bike
unrelated | I like Bo | Bo no longer likes me
unrelated | My son is 5 | My son is 6 feet away
unrelated | I'm a teacher | I'm a better teacher now
unrelated | My birthday is May 3 | My birthday party is on May 5 now
unrelated | My sister's birthday is May 3 | My birthday is May 4, actually
unrelated | My favourite film is Alien | My favourite film of this year is Dune now
unrelated | My favourite dish is ramen | My favourite side dish is kimchi now
unrelated | I used to live in Porto | I live in Lisbon now
unrelated | I lived in Porto for three years | I live in Lisbon now
unrelated | I was born in Porto | I live in Lisbon now
unrelated | My office is in Porto | I live in Lisbon now
unrelated | I own a flat in Porto | I live in Lisbon now
unrelated | My boss is Anna | Anna is my neighbour now
unrelated | I read a book about Redis | We dropped Redis for Postgres
unrelated | I'm allergic to cats | I'm no longer allergic to dogs
replaces | I'm living in Turin these days | Big news: I moved to Genoa on Saturday!
replaces | Our API gateway runs on port 8443 | Our API gateway runs on port 9443 since the upgrade
replaces | My boss is Katrin | My boss is Henrik now, Katrin left
replaces | I work at the Louvre | I no longer work at the Louvre
replaces | We use Webpack to bundle the site | We replaced Webpack with Vite
unrelated | My daughter's name is Elin | Sorry, my daughter's name is Ellen
replaces | The sprint review is on Wednesday at 3pm | The sprint review has been moved to Thursday at 3pm
replaces | I drink two beers every evening | I quit drinking beer
replaces | I subscribe to The Guardian | I cancelled The Guardian
replaces | My favourite singer is Adele | My favourite singer is Rosalia these days
replaces | Henrik lives in Malmö | Henrik moved to Gothenburg last year
replaces | We host everything on Heroku | We migrated from Heroku to Fly
replaces | I'm 41 years old | I'm 42 years old
replaces | I'm vegetarian | I eat meat again, so I'm no longer vegetarian
replaces | The admin password rotation interval is 90 days | The admin password rotation interval is 30 days now
replaces | Our landlord is Mr. Weber | Our landlord is Ms. Koch now
replaces | The due date of the thesis is 1 September | The due date of the thesis is 15 September now
replaces | I play in a band called Static | I left Static
replaces | My car is a Skoda | My car is a Volvo now
replaces | The concert is on 3 July in Bern | The concert is on 10 July now
unrelated | I'm living in Turin these days | My ex moved to Genoa
unrelated | I'm living in Turin | I moved to Genoa in 2009 and back to Turin in 2015
unrelated | I work at the Louvre | The Louvre is closed on Tuesday now
unrelated | We use Webpack for the shop | We replaced Webpack with Vite in the blog
unrelated | We use Webpack | I read that they dropped Webpack for Vite
unrelated | My favourite singer is Adele | My daughter's favourite singer is Rosalia now
unrelated | Henrik lives in Malmö | Henrik moved to the front row
contradicts | Henrik lives in Malmö | Henrik Larsson moved to Celtic
unrelated | I'm 41 years old | My house is 42 years old
unrelated | I'm 41 | I'm 42 kilometres into the race
unrelated | I'm single | I ordered a single espresso
unrelated | I drive a Volvo | I drive to work now
unrelated | I love my Volvo | I sold my old Saab
unrelated | The backup runs at 2 am | The report runs at 3 am now
unrelated | The budget for marketing is $500 | The budget for travel is $800 now
unrelated | My flight is on Monday | My flight was delayed by two hours
unrelated | The wedding is on 14 June | The wedding anniversary is on 20 June
unrelated | My phone is a Pixel 7 | My work phone is an iPhone now
unrelated | My wife is a doctor | My wife's sister is a teacher now
unrelated | I take ibuprofen for my back | I no longer take ibuprofen for my headaches
unrelated | I like the blue jacket | I don't like the blue jacket's zipper
unrelated | I have a meeting with Katrin on Monday | I moved the meeting with Henrik to Monday
unrelated | I live in Turin | My company relocated its servers to Frankfurt
unrelated | I have two dogs | I don't have two cars any more
unrelated | I speak Italian | I no longer speak Italian at home
unrelated | We meet on Mondays | We meet at the library now
unrelated | I eat lunch at noon | I eat dinner at 8 now
unrelated | The door code is 4711 | The garage code is 1147 now
unrelated | I work at Acme | My address at work is Acme Street 4 now
unrelated | Lena plays the violin | Lena quit her job
unrelated | I study medicine in Graz | I no longer study in the library
unrelated | My doctor is Dr. Huber | My doctor told me to rest now
unrelated | I go to the gym | I don't go to the pub any more
unrelated | My team is Acme Rockets | My team is happy now
unrelated | Our CTO is Priya | Our CTO is on holiday now
unrelated | Our office is in Turin | Our office is closed now
unrelated | My address is 5 Mill Street | My email address is new now
unrelated | The version is 2.1 | The release is on 3.2. now
unrelated | I joined the choir | I left the meeting early
unrelated | I use Obsidian for notes | I stopped using notes
contradicts | I live in Krakow with my parents' old piano | I moved to Gdansk in August
replaces | I work for Lufthansa as a technician | I started at Ryanair last month
replaces | My therapist is Dr. Amato | My therapist is Dr. Bianchi now
replaces | We use Figma for the mockups | We switched from Figma to Penpot
replaces | The parents' evening is on 9 October | The parents' evening was postponed to 16 October
replaces | My train leaves at 7:12 | My train leaves at 7:26 now
replaces | I eat eggs | I don't eat eggs any more
replaces | My favourite tea is Assam | My favourite tea is Darjeeling now
replaces | The test database runs on port 5433 | The test database runs on port 6433 now
replaces | Tom lives in Bonn | Tom lives in Essen now
replaces | I'm engaged | I got married
replaces | Wir nutzen Jenkins | Wir haben Jenkins durch Gitlab ersetzt
replaces | My salary is 4,000 euros | My salary is 4,400 euros now
replaces | I go to yoga on Tuesdays | I no longer go to yoga
replaces | My laptop is a ThinkPad | My laptop is a MacBook now
unrelated | I live in Krakow | I grew up in Gdansk
unrelated | I live in Krakow | Gdansk is lovely now
unrelated | I work for Lufthansa | I fly with Ryanair now
unrelated | My therapist is Dr. Amato | My physio is Dr. Bianchi now
unrelated | We use Figma for mockups | We use Penpot for icons now
unrelated | We use Figma | We considered switching from Figma to Penpot
unrelated | The parents' evening is on 9 October | The school trip is on 16 October now
unrelated | My train leaves at 7:12 | My train arrives at 9:40 now
unrelated | I eat eggs | I don't eat raw eggs any more
unrelated | My favourite tea is Assam | I bought Darjeeling tea now
unrelated | The test database runs on port 5433 | The live database runs on port 5432 now
unrelated | Tom lives in Bonn | Tom's mother lives in Essen now
unrelated | I have a brother | I have a sister now
unrelated | I'm engaged | The line is engaged now
unrelated | My salary is 4,000 euros | My bonus is 400 euros now
unrelated | I go to yoga | I no longer go to choir
unrelated | I play chess with Tom | I no longer play chess with Ana
unrelated | The door is blue | The door is locked now
unrelated | I'm learning Polish | I'm learning Czech now
unrelated | I have an appointment with Dr. Amato on Monday | I have an appointment with the bank on Friday now
unrelated | I want a dog | I have a dog now
unrelated | We meet at the station | We meet at 8 now
unrelated | I drink wine on weekends | I stopped drinking wine during the week
unrelated | My son goes to school in Bonn | I moved to Essen
unrelated | We sold the old boat | We bought a new boat
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two statements and what the newer one should be found to be."""

    label: str
    older: Statement
    newer: Statement


def pairs(*, apart: timedelta = timedelta(days=3)) -> Iterator[Pair]:
    """Every pair, said so far apart."""
    said_at = datetime(2026, 5, 4, 12, tzinfo=UTC)
    for line in _PAIRS.strip().splitlines():
        label, older, newer = (part.strip() for part in line.split(" | "))
        yield Pair(label=label, older=_statement(older, said_at), newer=_statement(newer, said_at + apart))


def _statement(said: str, at: datetime) -> Statement:
    if said.startswith("assistant: "):
        return Statement(text=said.removeprefix("assistant: "), origin=Origin.ASSISTANT, said_at=at, one_person=True)
    if said.startswith("@"):
        name, text = said[1:].split(": ", 1)
        return Statement(text=text, origin=Origin.USER, said_at=at, speaker=name)
    return Statement(text=said, origin=Origin.USER, said_at=at, speaker="Ana", one_person=True)
